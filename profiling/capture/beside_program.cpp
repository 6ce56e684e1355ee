// profiling/capture/beside_program.cpp: what belongs to a captured launch and lies beside the
// program.
#include "profiling/capture/beside_program.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <set>

#include "profiling/binaries/binary_file.h"
#include "profiling/binaries/cubin.h"
#include "profiling/binaries/images.h"
#include "scenes/base/plural.h"
#include "scenes/host/input_file.h"
#include "scenes/host/paths.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;
constexpr std::int64_t kMostSourceBytes = 1 << 20;
constexpr std::size_t kMostSources = 40;
constexpr std::size_t kMostPadding = 4096;  // that follows a cubin in its file

bool is_ptx_text(const std::string& image) {
  constexpr std::size_t kHead = 4096;
  return binary_kind(image) == BinaryKind::none && image.find('\0') == std::string::npos &&
         image.substr(0, kHead).find(".version") != std::string::npos;
}

// The file beside the cubin of these bytes in a folder like Triton's cache; empty: there is none.
fs::path ptx_in_cache(const fs::path& cache, const std::string& cubin) {
  std::error_code failed;
  constexpr int kMostFiles = 200'000;
  int looked = 0;
  for (fs::recursive_directory_iterator entry(cache, failed), end; !failed && entry != end;
       entry.increment(failed)) {
    if (++looked > kMostFiles) break;
    std::error_code ignored;
    const std::uintmax_t size = entry->file_size(ignored);
    if (entry->path().extension() != ".cubin" || size < cubin.size() ||
        size > cubin.size() + kMostPadding)
      continue;
    const Result<std::string> bytes = read_input(entry->path(), static_cast<std::int64_t>(size));
    fs::path ptx = entry->path();
    ptx.replace_extension(".ptx");
    if (bytes && bytes->starts_with(cubin) && fs::is_regular_file(ptx, ignored)) return ptx;
  }
  return {};
}

fs::path triton_cache() {
  if (const char* own = std::getenv("TRITON_CACHE_DIR"); own != nullptr && *own != '\0') return own;
  const char* home = std::getenv("HOME");
  return home == nullptr ? fs::path() : fs::path(home) / ".triton" / "cache";
}

// PTX of the kernel, and where it was found.
void find_ptx(const CaptureFile& file, CaptureAdditions& found) {
  const Result<std::string> image = file.image(), code = file.code();
  const std::string& symbol = file.capture().symbol;
  if (image && !image->empty()) {
    if (is_ptx_text(*image)) {
      found.ptx = *image;
      found.ptx_origin = "as the program gave it to the driver";
      return;
    }
    const Result<BinaryFile> binary = read_binary(*image, file.path());
    if (binary) {
      if (Result<std::string> ptx = ptx_of(*image, *binary, symbol, file.path())) {
        found.ptx = std::move(*ptx);
        found.ptx_origin = "in the program's own code";
        return;
      }
    }
  }
  for (const Result<std::string>* cubin : {&image, &code}) {
    if (!*cubin || !is_cubin(**cubin)) continue;
    const fs::path ptx = ptx_in_cache(triton_cache(), **cubin);
    if (ptx.empty()) continue;
    if (Result<std::string> text = read_input(ptx, kMostTextFileBytes)) {
      found.ptx = std::move(*text);
      found.ptx_origin = "beside its machine code in Triton's cache";
      return;
    }
  }
  found.notes.push_back(
      "no PTX of the kernel was found: its machine code is replayed by a GPU of the same "
      "architecture, and emulated where nvdisasm is installed");
}

// Machine code of the kernel for the device, in what the program loaded.
void find_code(const CaptureFile& file, CaptureAdditions& found) {
  const Result<std::string> code = file.code(), image = file.image();
  if (!code || !code->empty() || !image || image->empty() || is_ptx_text(*image)) return;
  const auto has_kernel = [&](std::string_view cubin) {
    const std::vector<std::string> kernels = kernel_symbols(cubin);
    return std::find(kernels.begin(), kernels.end(), file.capture().symbol) != kernels.end();
  };
  if (is_cubin(*image)) {
    if (has_kernel(*image)) found.code = *image;
    return;
  }
  std::vector<std::string> not_read;
  const auto look = [&](const FatEntry& entry) {
    if (entry.kind != FatEntry::Kind::machine_code ||
        entry.compute_capability != file.capture().compute_capability)
      return true;
    Result<std::string> cubin = unpacked(entry, file.path());
    if (cubin && has_kernel(*cubin)) found.code = std::move(*cubin);
    return found.code.empty();
  };
  (void)for_images(*image, file.path(), look, not_read);
}

// A launch that writes what was there before judges no copy of its kernel.
void note_unchanged(const CaptureFile& file, CaptureAdditions& found) {
  const std::vector<CapturedMemory>& memory = file.capture().memory;
  bool any = false;
  for (std::size_t i = 0; i < memory.size(); ++i) {
    if (memory[i].kind == CapturedMemory::Kind::variable) continue;
    if (!file.kept(i, CaptureFile::Side::after) || !file.unchanged(i)) return;
    any = true;
  }
  if (any)
    found.notes.push_back(
        "the launch left its memory as it was, so a copy of the kernel that writes nothing would "
        "be called correct; capture a launch with another result than the one before");
}

void find_sources(CaptureAdditions& found) {
  for (const std::string& name : files_named_in(found.ptx)) {
    std::error_code ignored;
    if (found.sources.size() >= kMostSources || !fs::is_regular_file(name, ignored)) continue;
    // The toolkit's own headers are on every machine.
    if (name.find("/cuda") != std::string::npos && name.find("/include/") != std::string::npos)
      continue;
    if (Result<std::string> text = read_input(name, kMostSourceBytes))
      found.sources.push_back({name, std::move(*text)});
  }
}

std::string size_text(double bytes) {
  char text[32];
  std::snprintf(text, sizeof text, bytes < 1e6 ? "%.1f kB" : "%.1f MB",
                bytes / (bytes < 1e6 ? 1e3 : 1e6));
  return text;
}

}  // namespace

std::vector<std::string> files_named_in(const std::string& ptx) {
  std::vector<std::string> names;
  std::set<std::string> seen;
  for (std::size_t at = ptx.find(".file"); at != std::string::npos;
       at = ptx.find(".file", at + 5)) {
    const std::size_t end = std::min(ptx.find('\n', at), ptx.size());
    const std::size_t open = ptx.find('"', at);
    const std::size_t close = open < end ? ptx.find('"', open + 1) : std::string::npos;
    if (close == std::string::npos || close > end) continue;
    std::string name = ptx.substr(open + 1, close - open - 1);
    if (!name.empty() && seen.insert(name).second) names.push_back(std::move(name));
  }
  return names;
}

CaptureAdditions found_beside(const CaptureFile& file) {
  CaptureAdditions found;
  find_code(file, found);
  find_ptx(file, found);
  find_sources(found);
  note_unchanged(file, found);
  return found;
}

std::string words_of_capture(const CaptureFile& file) {
  const Capture& c = file.capture();
  std::string words = c.name + ", launch " + std::to_string(c.number) + ", grid " +
                      extents_text(c.launch.grid) + ", block " + extents_text(c.launch.block);
  if (c.launch.dynamic_shared_bytes > 0)
    words += ", " + std::to_string(c.launch.dynamic_shared_bytes) + " B shared";
  words += ", " + size_text(static_cast<double>(memory_bytes(c))) + " of memory in " +
           plural(static_cast<std::int64_t>(c.memory.size()), "part");
  if (!c.data) words += " (not saved)";
  return words + (c.ptx_origin.empty() ? ", no PTX" : ", PTX " + c.ptx_origin);
}

std::string found_cupti() {
  std::vector<fs::path> roots;
  for (const char* variable : {"WARPSCOPE_CUDA_ROOT", "CUDA_HOME"}) {
    if (const char* root = std::getenv(variable); root != nullptr && *root != '\0')
      roots.emplace_back(root);
  }
  roots.emplace_back("/usr/local/cuda");
  for (const fs::path& folder : brought_toolkits()) roots.push_back(folder / "nvidia" / "cu13");
  for (const fs::path& root : roots) {
    for (const char* folder : {"extras/CUPTI/lib64", "lib64", "lib"}) {
      for (const char* name : {"libcupti.so.13", "libcupti.so.12", "libcupti.so"}) {
        std::error_code ignored;
        const fs::path path = root / folder / name;
        if (fs::exists(path, ignored)) return path.string();
      }
    }
  }
  return {};
}

}  // namespace warpscope
