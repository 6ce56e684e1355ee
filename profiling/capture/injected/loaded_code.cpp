// profiling/capture/injected/loaded_code.cpp: the code that a program loaded.
#include "profiling/capture/injected/loaded_code.h"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <utility>

#include "profiling/binaries/cubin.h"

namespace warpscope {
namespace {

constexpr std::uint64_t kMostImageBytes = 256 << 20;
// Copies of everything that was loaded have at most so much: large libraries are loaded part by
// part.
constexpr std::uint64_t kMostKeptBytes = std::uint64_t{1} << 30;
// source: fatbinary_section.h of the toolkit, and the first bytes of nvcc's fat binaries.
constexpr std::uint32_t kWrapper = 0x466243b1, kFatBinary = 0xba55ed50, kElf = 0x464c457f;
constexpr std::size_t kFatHeadBytes = 16;

template <typename T>
T read_at(const void* from, std::size_t at) {
  T value{};
  std::memcpy(&value, static_cast<const char*>(from) + at, sizeof value);
  return value;
}

// Up to the end of the last section or table. source: System V ABI, "ELF Header".
std::uint64_t elf_bytes(const void* image) {
  const auto sections = read_at<std::uint64_t>(image, 40);
  const std::uint64_t entry = read_at<std::uint16_t>(image, 58);
  const std::uint64_t count = read_at<std::uint16_t>(image, 60);
  if (sections > kMostImageBytes || entry < 64) return 0;
  std::uint64_t end = sections + entry * count;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::size_t at = static_cast<std::size_t>(sections + i * entry);
    constexpr std::uint32_t kNoBits = 8;
    if (read_at<std::uint32_t>(image, at + 4) == kNoBits) continue;
    end = std::max(end,
                   read_at<std::uint64_t>(image, at + 24) + read_at<std::uint64_t>(image, at + 32));
  }
  const auto programs = read_at<std::uint64_t>(image, 32);
  const std::uint64_t tables =
      read_at<std::uint16_t>(image, 54) * std::uint64_t{read_at<std::uint16_t>(image, 56)};
  return std::max(end, programs + tables);
}

std::string_view bounded(const void* image, std::uint64_t bytes) {
  if (bytes > kMostImageBytes) return {};
  return {static_cast<const char*>(image), static_cast<std::size_t>(bytes)};
}

// The module or the library that a function is from; null: the driver does not tell.
const void* handle_of(const CaptureDriver& driver, CUfunction function) {
  CUlibrary library = nullptr;
  CUmodule module = nullptr;
  if (driver.cuKernelGetLibrary != nullptr &&
      driver.cuKernelGetLibrary(&library, reinterpret_cast<CUkernel>(function)) == CUDA_SUCCESS)
    return library;
  if (driver.cuFuncGetModule != nullptr &&
      driver.cuFuncGetModule(&module, function) == CUDA_SUCCESS)
    return module;
  return nullptr;
}

// How a PTX text begins.
bool is_text(std::string_view image) {
  return !image.empty() &&
         std::string_view("/.\n\r ").find(image.front()) != std::string_view::npos;
}

}  // namespace

std::string_view image_bytes(const void* image) {
  if (image == nullptr) return {};
  auto magic = read_at<std::uint32_t>(image, 0);
  if (magic == kWrapper) {  // magic, version, address of the data
    image = read_at<const void*>(image, 8);
    if (image == nullptr) return {};
    magic = read_at<std::uint32_t>(image, 0);
  }
  if (magic == kFatBinary) return bounded(image, kFatHeadBytes + read_at<std::uint64_t>(image, 8));
  if (magic == kElf) return bounded(image, elf_bytes(image));
  const auto* text = static_cast<const char*>(image);
  return is_text({text, 1}) ? bounded(text, ::strnlen(text, kMostImageBytes)) : std::string_view();
}

bool may_have_variables(std::string_view image) {
  if (!is_text(image)) return true;
  const auto blank = [&](std::size_t at) {
    return at >= image.size() || std::isspace(static_cast<unsigned char>(image[at])) != 0;
  };
  // ld.global and st.global.f32 have the same letters.
  for (const std::string_view space : {".global", ".const"}) {
    for (std::size_t at = 0; (at = image.find(space, at)) != std::string_view::npos; ++at) {
      if ((at == 0 || blank(at - 1)) && blank(at + space.size())) return true;
    }
  }
  return false;
}

void LoadedCode::loaded(std::uint32_t module, std::string_view cubin,
                        const std::function<bool(const std::string& symbol)>& wanted) {
  std::vector<std::string> kernels = kernel_symbols(cubin);
  const std::lock_guard lock(mutex_);
  if (std::none_of(kernels.begin(), kernels.end(), wanted) ||
      kept_bytes_ + cubin.size() > kMostKeptBytes)
    return;
  kept_bytes_ += cubin.size();
  cubins_.push_back({module, std::string(cubin), std::move(kernels)});
}

void LoadedCode::unloaded(std::uint32_t module) {
  const std::lock_guard lock(mutex_);
  std::erase_if(cubins_, [&](const Cubin& cubin) {
    if (cubin.module != module) return false;
    kept_bytes_ -= cubin.bytes.size();
    return true;
  });
}

void LoadedCode::dropped(const void* handle) {
  const std::lock_guard lock(mutex_);
  drop(handle);
}

void LoadedCode::drop(const void* handle) {
  const auto known = images_.find(handle);
  if (known == images_.end()) return;
  kept_bytes_ -= known->second.copy.size();
  images_.erase(known);
}

void LoadedCode::given(const void* handle, std::string_view image, bool stays,
                       std::vector<std::uint32_t> modules) {
  const std::lock_guard lock(mutex_);
  drop(handle);
  if (image.empty()) return;
  Image kept;
  kept.modules = std::move(modules);
  if (!stays) {
    if (kept_bytes_ + image.size() > kMostKeptBytes) return;
    kept_bytes_ += image.size();
    kept.copy = std::string(image);
  }
  Image& placed = images_[handle];
  placed = std::move(kept);
  placed.bytes = stays ? image : std::string_view(placed.copy);
}

FoundCode LoadedCode::cubin_of(const CaptureDriver& driver, CUfunction function,
                               const std::string& symbol) const {
  const void* const handle = handle_of(driver, function);
  const std::lock_guard lock(mutex_);
  const auto image = images_.find(handle);
  FoundCode found;
  for (auto cubin = cubins_.rbegin(); cubin != cubins_.rend(); ++cubin) {
    if (std::find(cubin->kernels.begin(), cubin->kernels.end(), symbol) == cubin->kernels.end())
      continue;
    const bool own = image != images_.end() &&
                     std::find(image->second.modules.begin(), image->second.modules.end(),
                               cubin->module) != image->second.modules.end();
    if (own) return {cubin->bytes, 0};
    if (found.bytes.empty())
      found.bytes = cubin->bytes;
    else if (found.bytes != cubin->bytes)
      ++found.others;
  }
  return found;
}

std::string LoadedCode::image_of(const CaptureDriver& driver, CUfunction function) const {
  const void* const handle = handle_of(driver, function);
  const std::lock_guard lock(mutex_);
  const auto image = images_.find(handle);
  return image == images_.end() ? std::string() : std::string(image->second.bytes);
}

}  // namespace warpscope
