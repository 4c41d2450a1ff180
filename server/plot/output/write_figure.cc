#include "server/plot/output/write_figure.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <string_view>

#include <fmt/format.h>

#include "codec/base/status_macros.h"
#include "server/plot/compose.h"
#include "server/plot/output/png.h"
#include "server/plot/output/svg.h"

namespace hourcell::plot {
namespace {

absl::Status WriteBytes(std::string_view bytes, const std::string& path) {
  errno = 0;
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  file.close();
  if (file.good()) return absl::OkStatus();
  return absl::UnavailableError(
      fmt::format("write {}: {}", path, errno != 0 ? std::strerror(errno) : "failed"));
}

}  // namespace

absl::Status WriteSvg(const Figure& figure, const std::string& path) {
  HOURCELL_ASSIGN_OR_RETURN(const Scene scene, Compose(figure));
  return WriteBytes(SvgText(scene), path);
}

absl::Status WritePng(const Figure& figure, const std::string& path) {
  HOURCELL_ASSIGN_OR_RETURN(const Scene scene, Compose(figure));
  HOURCELL_ASSIGN_OR_RETURN(const std::string bytes, RenderPng(scene));
  return WriteBytes(bytes, path);
}

}  // namespace hourcell::plot
