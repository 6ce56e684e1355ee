// tests/fuzz/capture_test.cpp: no capture file, however broken, crashes its reader or takes more
// than its budget.
#include <gtest/gtest.h>

#include "profiling/capture/capture_scene.h"
#include "tests/fuzz/budget.h"
#include "tests/fuzz/mutation.h"
#include "tests/profiling/capture/made_capture.h"

namespace warpscope {
namespace {

void try_all(const std::string& path) {
  const Result<CaptureFile> file = CaptureFile::open(path);
  if (!file) {
    EXPECT_FALSE(file.error().what.empty());
    EXPECT_NE(file.error().kind, ErrorKind::internal);
    return;
  }
  for (std::size_t i = 0; i < file->capture().memory.size(); ++i) {
    for (const auto side : {CaptureFile::Side::before, CaptureFile::Side::after}) {
      (void)file->kept(i, side);
      (void)file->memory(i, side, file->capture().memory[i].bytes / 2, 10'000);
    }
    (void)file->unchanged(i);
  }
  (void)file->code();
  (void)file->image();
  (void)file->ptx();
  (void)file->sources();
  (void)file->check();
  const Result<SceneText> text = capture_scene(path, "fuzz", {"f32", 1e-5, 0});
  if (text) (void)scene_of(*text);
}

std::string made_file(const CaptureFolder& folder, const CaptureWriter::Pack& pack) {
  const std::string path = folder("whole.wcap");
  Result<CaptureWriter> writer = CaptureWriter::create(path, pack);
  // An address of the memory itself: it becomes that of a buffer.
  const std::string address = raw_bytes<std::uint64_t>(0x7f0000000100);
  (void)writer->add_memory(0, CaptureWriter::Side::before, address + counted_words(1, 9'992));
  (void)writer->add_memory(0, CaptureWriter::Side::after, counted_words(3, 10'000));
  (void)writer->add_memory(1, CaptureWriter::Side::before, std::string(64, 't'));
  writer->same_after(1);
  (void)writer->write_section("CODE", std::string(3000, 'c'));
  (void)writer->write_section("PTX ", ".version 8.0\n.target sm_90\n");
  (void)writer->write_section("SRCE", source_section("a.cu", "text"));
  Capture c = made_capture();
  c.parameters.push_back({64, raw_bytes<std::uint64_t>(0x7f0000000100) + std::string(120, 'm')});
  CapturedTensorMap map;
  map.parameter = 3;
  map.address = 0x7f0000000100;
  map.type = 7;
  map.extents = {8, 8};
  map.strides = {32};
  map.box = {8, 8};
  map.steps = {1, 1};
  c.tensor_maps = {map};
  (void)writer->finish(c);
  return bytes_of_file(path);
}

// Puts right the checksums of a broken file, so that what follows them is reached too.
std::string with_checksums(std::string bytes) {
  std::size_t at = kCaptureHeadBytes;
  while (at + kSectionHeadBytes <= bytes.size()) {
    SectionHead head;
    std::memcpy(&head, bytes.data() + at, sizeof head);
    const std::size_t rest = bytes.size() - at - kSectionHeadBytes;
    const std::size_t stored = std::min<std::uint64_t>(head.stored_bytes, rest);
    head.stored_crc = crc32_of(std::string_view(bytes).substr(at + kSectionHeadBytes, stored));
    head.head_crc =
        crc32_of({reinterpret_cast<const char*>(&head), offsetof(SectionHead, head_crc)});
    std::memcpy(bytes.data() + at, &head, sizeof head);
    at += kSectionHeadBytes + stored;
  }
  return bytes;
}

TEST(FuzzCaptureTest, NoFileCrashesTheReader) {
  const CaptureFolder folder;
  const std::vector<std::string> files = {made_file(folder, {}), made_file(folder, pack_section)};
  const std::vector<std::string> words = {std::string(8, '\xff'),
                                          "END ",
                                          "PAGE",
                                          "MAPS",
                                          "LNCH",
                                          std::string("\x01\x00\x00\x00", 4),
                                          "\"bytes\":1e9",
                                          "18446744073709551615",
                                          "-1"};
  const std::string path = folder("broken.wcap");
  for_mutations(files, words, [&](const std::string& bytes) {
    write_bytes(path, bytes);
    try_all(path);
    write_bytes(path, with_checksums(bytes));
    try_all(path);
  });
}

// A table of pages takes 8 bytes for 4096 bytes of memory, so that a file of 2 MB may claim 1 GB.
TEST(FuzzCaptureTest, AFileThatClaimsMuchMemoryTakesLittle) {
  const CaptureFolder folder;
  const std::string path = folder("large.wcap");
  constexpr std::uint64_t kClaimed = std::uint64_t{8000} << 20;
  {
    Result<CaptureWriter> writer = CaptureWriter::create(path, pack_section);
    ASSERT_TRUE(writer->finish(made_capture(kClaimed)));
  }
  EXPECT_LT(bytes_of_file(path).size(), 100'000u);
  expect_within_budget("a file that claims 8 GB", [&] {
    const Result<CaptureFile> file = CaptureFile::open(path);
    if (!file || file->memory(0, CaptureFile::Side::before, kClaimed - 100, 100)->size() != 100)
      ::_exit(1);
  });
}

}  // namespace
}  // namespace warpscope
