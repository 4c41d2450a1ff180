#include "tests/support/bigtable/google_emulator.h"

#include <fcntl.h>
#include <grpc/support/time.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>
#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server_builder.h>
#include <grpcpp/support/channel_arguments.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bigtable_proto/bigtable.grpc.pb.h>
#include <bigtable_proto/table_admin.grpc.pb.h>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "codec/base/check.h"
#include "codec/base/mutex.h"

namespace hourcell {
namespace {

namespace api = google::bigtable::v2;
namespace admin = google::bigtable::admin::v2;

constexpr const char* kVariable = "HOURCELL_BIGTABLE_EMULATOR";
constexpr const char* kInstalled =
    "/usr/lib/google-cloud-sdk/platform/bigtable-emulator/cbtemulator";
// Of a start, on a machine that does much else.
constexpr std::chrono::seconds kStart(20);

pid_t StartEmulator(const std::string& program, const std::string& socket) {
  const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  const pid_t pid = fork();
  HOURCELL_CHECK(null >= 0 && pid >= 0);
  if (pid == 0) {
    // It does not outlive a test that is killed.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(null, 0);
    dup2(null, 1);
    dup2(null, 2);
    execl(program.c_str(), program.c_str(), "-address", socket.c_str(), nullptr);
    _exit(127);
  }
  close(null);
  return pid;
}

std::shared_ptr<grpc::Channel> ConnectTo(const std::string& socket) {
  const auto end = std::chrono::steady_clock::now() + kStart;
  while (!std::filesystem::exists(socket) && std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(-1);
  arguments.SetMaxSendMessageSize(-1);
  std::shared_ptr<grpc::Channel> channel =
      grpc::CreateCustomChannel("unix:" + socket, grpc::InsecureChannelCredentials(), arguments);
  HOURCELL_CHECK(channel->WaitForConnected(gpr_time_add(
      gpr_now(GPR_CLOCK_MONOTONIC), gpr_time_from_seconds(kStart.count(), GPR_TIMESPAN))));
  return channel;
}

// Copies the deadline and the metadata of the client.
void PassOn(const grpc::ServerContext& from, grpc::ClientContext* to) {
  to->set_deadline(from.deadline());
  for (const char* const name : {"bigtable-features", "x-goog-request-params"}) {
    const auto found = from.client_metadata().find(name);
    if (found == from.client_metadata().end()) continue;
    to->AddMetadata(name, std::string(found->second.data(), found->second.size()));
  }
}

}  // namespace

std::string GoogleEmulatorPath() {
  const char* const named = std::getenv(kVariable);
  return named != nullptr && *named != '\0' ? named : kInstalled;
}

std::string MissingEmulator() {
  const std::string path = GoogleEmulatorPath();
  if (access(path.c_str(), X_OK) == 0) return {};
  return fmt::format(
      "Google's emulator of Bigtable is missing: no program {}; install the package "
      "google-cloud-cli-bigtable-emulator of packages.cloud.google.com, or set {}",
      path, kVariable);
}

bool MustHaveEmulator() {
  const char* const ci = std::getenv("CI");
  return ci != nullptr && std::string_view(ci) == "true";
}

// Both services: their messages do not overlap.
class GoogleEmulator::Proxy {
 public:
  explicit Proxy(const std::shared_ptr<grpc::Channel>& channel)
      : data_(this, channel), admin_(this, channel) {}

  void RegisterAt(grpc::ServerBuilder* builder) {
    builder->RegisterService(&data_);
    builder->RegisterService(&admin_);
  }

 private:
  template <typename Call>
  grpc::Status One(const grpc::ServerContext& context, const Call& call) {
    grpc::ClientContext passed;
    PassOn(context, &passed);
    const MutexLock lock(&mutex_);
    return call(&passed);
  }

  template <typename Message, typename Call>
  grpc::Status Stream(const grpc::ServerContext& context,
                      grpc::ServerWriter<Message>* writer,
                      const Call& call) {
    std::vector<Message> messages;
    const grpc::Status status = One(context, [&](grpc::ClientContext* passed) {
      const auto stream = call(passed);
      for (Message message; stream->Read(&message);)
        messages.push_back(std::move(message));
      return stream->Finish();
    });
    for (const Message& message : messages) {
      if (!writer->Write(message)) return grpc::Status::CANCELLED;
    }
    return status;
  }

  class Data final : public api::Bigtable::Service {
   public:
    Data(Proxy* proxy, const std::shared_ptr<grpc::Channel>& channel)
        : proxy_(*proxy), stub_(api::Bigtable::NewStub(channel)) {}

    grpc::Status ReadRows(grpc::ServerContext* context,
                          const api::ReadRowsRequest* request,
                          grpc::ServerWriter<api::ReadRowsResponse>* writer) override {
      return proxy_.Stream(*context, writer,
                           [&](auto* to) { return stub_->ReadRows(to, *request); });
    }
    grpc::Status SampleRowKeys(grpc::ServerContext* context,
                               const api::SampleRowKeysRequest* request,
                               grpc::ServerWriter<api::SampleRowKeysResponse>* writer) override {
      return proxy_.Stream(*context, writer,
                           [&](auto* to) { return stub_->SampleRowKeys(to, *request); });
    }
    grpc::Status MutateRows(grpc::ServerContext* context,
                            const api::MutateRowsRequest* request,
                            grpc::ServerWriter<api::MutateRowsResponse>* writer) override {
      return proxy_.Stream(*context, writer,
                           [&](auto* to) { return stub_->MutateRows(to, *request); });
    }
    grpc::Status MutateRow(grpc::ServerContext* context,
                           const api::MutateRowRequest* request,
                           api::MutateRowResponse* answer) override {
      return proxy_.One(*context, [&](auto* to) { return stub_->MutateRow(to, *request, answer); });
    }
    grpc::Status CheckAndMutateRow(grpc::ServerContext* context,
                                   const api::CheckAndMutateRowRequest* request,
                                   api::CheckAndMutateRowResponse* answer) override {
      return proxy_.One(*context,
                        [&](auto* to) { return stub_->CheckAndMutateRow(to, *request, answer); });
    }
    grpc::Status ReadModifyWriteRow(grpc::ServerContext* context,
                                    const api::ReadModifyWriteRowRequest* request,
                                    api::ReadModifyWriteRowResponse* answer) override {
      return proxy_.One(*context,
                        [&](auto* to) { return stub_->ReadModifyWriteRow(to, *request, answer); });
    }

   private:
    Proxy& proxy_;
    const std::unique_ptr<api::Bigtable::Stub> stub_;
  };

  class Admin final : public admin::BigtableTableAdmin::Service {
   public:
    Admin(Proxy* proxy, const std::shared_ptr<grpc::Channel>& channel)
        : proxy_(*proxy), stub_(admin::BigtableTableAdmin::NewStub(channel)) {}

    grpc::Status CreateTable(grpc::ServerContext* context,
                             const admin::CreateTableRequest* request,
                             admin::Table* made) override {
      return proxy_.One(*context, [&](auto* to) { return stub_->CreateTable(to, *request, made); });
    }
    grpc::Status ModifyColumnFamilies(grpc::ServerContext* context,
                                      const admin::ModifyColumnFamiliesRequest* request,
                                      admin::Table* changed) override {
      return proxy_.One(
          *context, [&](auto* to) { return stub_->ModifyColumnFamilies(to, *request, changed); });
    }

   private:
    Proxy& proxy_;
    const std::unique_ptr<admin::BigtableTableAdmin::Stub> stub_;
  };

  Mutex mutex_;  // held during each call of the emulator
  Data data_;
  Admin admin_;
};

GoogleEmulator::GoogleEmulator(int port) {
  HOURCELL_CHECK(MissingEmulator().empty());
  const std::string socket = directory_.file("socket");
  emulator_ = StartEmulator(GoogleEmulatorPath(), socket);
  proxy_ = std::make_unique<Proxy>(ConnectTo(socket));
  grpc::ServerBuilder builder;
  builder.AddListeningPort(fmt::format("127.0.0.1:{}", port), grpc::InsecureServerCredentials(),
                           &port);
  proxy_->RegisterAt(&builder);
  builder.SetMaxReceiveMessageSize(-1);
  server_ = builder.BuildAndStart();
  HOURCELL_CHECK(server_ != nullptr);
  address_ = fmt::format("127.0.0.1:{}", port);
}

GoogleEmulator::~GoogleEmulator() {
  server_->Shutdown();
  kill(emulator_, SIGKILL);
  waitpid(emulator_, nullptr, 0);
}

}  // namespace hourcell
