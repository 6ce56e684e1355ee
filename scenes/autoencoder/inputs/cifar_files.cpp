// scenes/autoencoder/inputs/cifar_files.cpp: images of CIFAR-10's binary files, or why a file has
// none.
#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>
#include <utility>

#include "scenes/autoencoder/inputs/images.h"
#include "scenes/host/input_file.h"

namespace warpscope::autoencoder {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kMostFileBytes = 1LL << 32;
constexpr std::int64_t kCifar100RecordBytes = kCifarRecordBytes + 1;  // two label bytes
constexpr int kMostLabel = 9;
constexpr int kFilesOfFolder = 5;
constexpr std::size_t kTarMagicAt = 257;  // "ustar". source: POSIX.1-1988, ustar interchange format

// Where images are that this project does not bring.
constexpr const char* kFetch =
    "name data_batch_1.bin of CIFAR-10, or its folder cifar-10-batches-bin: unpack the binary "
    "version of https://www.cs.toronto.edu/~kriz/cifar.html";

tl::unexpected<Error> refuse(std::string what, const fs::path& where, std::string remedy) {
  return failure(ErrorKind::input, std::move(what), where.string(), std::move(remedy));
}

Result<std::size_t> read_all(InputFile& file, char* to, std::size_t count) {
  std::size_t done = 0;
  while (done < count) {
    const Result<std::size_t> read = file.read(to + done, count - done);
    if (!read) return tl::unexpected(read.error());
    if (*read == 0) break;
    done += *read;
  }
  return done;
}

// Recognises from the first bytes files that are not files of records. No record begins like these:
// its first byte is a label from 0 to 9.
Result<void> expect_no_archive(const fs::path& path, const char* head, std::size_t bytes) {
  const std::string_view text(head, bytes);
  if (text.starts_with("\x1f\x8b")) {
    return refuse("the file is packed with gzip", path, "unpack first");
  }
  if (bytes >= kTarMagicAt + 5 && text.substr(kTarMagicAt, 5) == "ustar") {
    return refuse("the file is a tar archive", path, "unpack first");
  }
  constexpr unsigned char kPickleMark = 0x80;  // then the protocol, 2 to 5. source: Python, pickle
  if (bytes >= 2 && static_cast<unsigned char>(text[0]) == kPickleMark && text[1] >= 2 &&
      text[1] <= 5) {
    return refuse("the file is a Python pickle", path, "use the binary version of CIFAR-10");
  }
  return {};
}

// The file, read up to nowhere, and its records.
struct Records {
  InputFile file;
  std::int64_t count = 0;
};

Result<Records> open_records(const fs::path& path) {
  Result<InputFile> file = InputFile::open(path, kMostFileBytes);
  if (!file) {
    Error unopened = file.error();
    std::error_code ignored;
    if (!fs::exists(path, ignored)) unopened.remedy = kFetch;
    return tl::unexpected(std::move(unopened));
  }
  std::array<char, 512> head = {};
  const Result<std::size_t> read = read_all(*file, head.data(), head.size());
  if (!read) return tl::unexpected(read.error());
  if (Result<void> none = expect_no_archive(path, head.data(), *read); !none)
    return tl::unexpected(none.error());
  const std::int64_t bytes = file->bytes(), count = bytes / kCifarRecordBytes;
  if (bytes == 0) return refuse("the file is empty", path, "name data_batch_1.bin of CIFAR-10");
  if (bytes % kCifarRecordBytes != 0) {
    if (bytes % kCifar100RecordBytes == 0) {
      return refuse("looks like CIFAR-100 (two label bytes): " + std::to_string(bytes) +
                        " bytes are records of 3074",
                    path, "use the binary version of CIFAR-10");
    }
    return refuse("the file has " + std::to_string(bytes) +
                      " bytes, expected a multiple of 3073: " + std::to_string(count) +
                      " whole records are usable, which are " +
                      std::to_string(count * kCifarRecordBytes) + " bytes",
                  path, "download or cut it again");
  }
  Result<InputFile> again = InputFile::open(path, kMostFileBytes);
  if (!again) return tl::unexpected(again.error());
  return Records{std::move(*again), count};
}

// The file, or those of the folder.
Result<std::vector<fs::path>> files_at(const fs::path& path) {
  if (path.empty()) {
    return failure(ErrorKind::input, "no file is named", "axis data_file", kFetch);
  }
  std::error_code error;
  if (!fs::is_directory(path, error)) return std::vector<fs::path>{path};
  std::vector<fs::path> files;
  for (int i = 1; i <= kFilesOfFolder; ++i) {
    files.push_back(path / ("data_batch_" + std::to_string(i) + ".bin"));
    if (!fs::exists(files.back(), error)) {
      return refuse("the folder has no data_batch_" + std::to_string(i) + ".bin", path,
                    "name the folder of the binary version, cifar-10-batches-bin, or one file");
    }
  }
  return files;
}

// Appends the pixels of up to `most` records to `pixels`.
Result<void> append(Records records, const fs::path& path, std::int64_t most,
                    std::vector<std::uint8_t>& pixels) {
  std::array<char, kCifarRecordBytes> record = {};
  for (std::int64_t i = 0; i < std::min(most, records.count); ++i) {
    const Result<std::size_t> read = read_all(records.file, record.data(), record.size());
    if (!read) return tl::unexpected(read.error());
    if (*read != record.size()) return refuse("the file ended while it was read", path, "");
    const int label = static_cast<unsigned char>(record[0]);
    if (label > kMostLabel) {
      return refuse("record " + std::to_string(i) + " has label " + std::to_string(label) +
                        ", labels of CIFAR-10 are 0 to 9",
                    path, "name a file of the binary version of CIFAR-10");
    }
    pixels.insert(pixels.end(), record.begin() + 1, record.end());
  }
  return {};
}

}  // namespace

Result<std::int64_t> count_cifar(const fs::path& path) {
  if (Result<void> admitted = admit_path(path.string()); !admitted)
    return tl::unexpected(admitted.error());
  const Result<std::vector<fs::path>> files = files_at(path);
  if (!files) return tl::unexpected(files.error());
  std::int64_t count = 0;
  for (const fs::path& file : *files) {
    const Result<Records> records = open_records(file);
    if (!records) return tl::unexpected(records.error());
    count += records->count;
  }
  return count;
}

Result<std::vector<std::uint8_t>> read_cifar(const fs::path& path, std::int64_t images) {
  const Result<std::int64_t> count = count_cifar(path);
  if (!count) return tl::unexpected(count.error());
  if (*count < images) {
    return refuse("there are " + std::to_string(*count) + " images, fewer than a batch of " +
                      std::to_string(images),
                  path, "the largest batch that fits is " + std::to_string(*count));
  }
  const Result<std::vector<fs::path>> files = files_at(path);
  if (!files) return tl::unexpected(files.error());
  std::vector<std::uint8_t> pixels;
  pixels.reserve(static_cast<std::size_t>(images * kCifarPixelBytes));
  for (const fs::path& file : *files) {
    const std::int64_t left = images - static_cast<std::int64_t>(pixels.size()) / kCifarPixelBytes;
    if (left == 0) break;
    Result<Records> records = open_records(file);
    if (!records) return tl::unexpected(records.error());
    if (Result<void> done = append(std::move(*records), file, left, pixels); !done)
      return tl::unexpected(done.error());
  }
  return pixels;
}

}  // namespace warpscope::autoencoder
