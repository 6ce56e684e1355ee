// workbench/client/own_binary.cpp: a compiled file of the person's own, and the PTX in it.
#include "workbench/client/own_binary.h"

#include <array>

#include "scenes/base/texts/own_ptx.h"
#include "scenes/host/input_file.h"

namespace warpscope {

BinaryKind kind_of_file(const std::string& path) {
  constexpr std::size_t kElfHeaderBytes = 64;
  std::array<char, kElfHeaderBytes> begin{};
  Result<InputFile> file = InputFile::open(path, kMostBinaryFileBytes);
  if (!file) return BinaryKind::none;
  const Result<std::size_t> count = file->read(begin.data(), begin.size());
  return count ? binary_kind({begin.data(), *count}) : BinaryKind::none;
}

Result<BinaryFile> read_own_binary(const std::string& path) {
  return read_input(path, kMostBinaryFileBytes).and_then([&](const std::string& bytes) {
    return read_binary(bytes, path);
  });
}

std::optional<Result<std::vector<KernelSource>>> sources_in_binary(const UserKernel& user) {
  if (kind_of_file(user.path) == BinaryKind::none) return std::nullopt;
  return read_input(user.path, kMostBinaryFileBytes).and_then([&](const std::string& bytes) {
    return read_binary(bytes, user.path)
        .and_then(
            [&](const BinaryFile& file) { return ptx_of(bytes, file, user.entry, user.path); })
        .map([&](std::string&& ptx) { return own_ptx(user.path, std::move(ptx)); });
  });
}

}  // namespace warpscope
