#include <engine/backup_admin.h>
#include <engine/backup_set.h>
#include <engine/fsck_admin.h>
#include <engine/region_admin.h>
#include <engine/salt_admin.h>
#include <engine/tsdb.h>

#include <cstdio>
#include <string>

// Checks, backs up and restores a store, and shows its regions and salt buckets.
int main(int, char** argv) {
  const std::string path = argv[1];
  hourcell::Options options;
  options.path = path;
  const auto tsdb = hourcell::Tsdb::Open(options).value();
  const hourcell::TagView tags[] = {{"host", "web01"}};
  const hourcell::Timestamp time = {.ms = 1356998400000};
  if (!tsdb->points().Put({"cpu.user", tags, time, hourcell::Value::Integer(40)}).ok()) return 1;
  if (!tsdb->maintenance().Flush().ok()) return 1;

  const auto regions =
      tsdb->maintenance().regions()->List("data", hourcell::ListDetail::kPlain).value();
  const auto epochs = tsdb->maintenance().salt()->Epochs().value();
  std::printf("%zu region, %zu salt epoch\n", regions.size(), epochs.size());

  const auto report = tsdb->maintenance().fsck()->Check({}).value();
  std::printf("%llu point, %s\n", static_cast<unsigned long long>(report.points),
              report.faults() == 0 ? "no fault" : "damaged");

  const std::string backups = path + ".backups";
  const auto backup = tsdb->maintenance().backups()->Make(backups).value();
  const auto set = hourcell::BackupSet::Open(backups, hourcell::BackupSet::Use::kRead).value();
  if (!hourcell::RestoreBackup(*set, backup, path + ".restored").ok()) return 1;
  options.path = path + ".restored";
  std::printf("%s\n", hourcell::Tsdb::Open(options).ok() ? "restored" : "not restored");
}
