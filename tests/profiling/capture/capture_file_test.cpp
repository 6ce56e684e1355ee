// tests/profiling/capture/capture_file_test.cpp: what is written into a capture is what is read
// from it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/profiling/capture/made_capture.h"

namespace warpscope {
namespace {

using testing::HasSubstr;
using Side = CaptureFile::Side;

// Memory in pieces of an odd size, so that pages do not end where pieces do.
void add(CaptureWriter& writer, std::size_t memory, CaptureWriter::Side side,
         const std::string& bytes, std::size_t piece = 1000) {
  for (std::size_t at = 0; at < bytes.size(); at += piece)
    ASSERT_TRUE(writer.add_memory(memory, side, bytes.substr(at, piece)));
}

void write(const std::string& path, const Capture& capture, const std::string& before,
           const std::string& after, const CaptureWriter::Pack& pack = pack_section) {
  Result<CaptureWriter> writer = CaptureWriter::create(path, pack);
  ASSERT_TRUE(writer) << sentence(writer.error());
  add(*writer, 0, CaptureWriter::Side::before, before);
  add(*writer, 1, CaptureWriter::Side::before, std::string(64, 't'));
  add(*writer, 0, CaptureWriter::Side::after, after);
  writer->same_after(1);
  ASSERT_TRUE(writer->write_section("CODE", "machine code"));
  ASSERT_TRUE(writer->write_section("PTX ", "ptx"));
  ASSERT_TRUE(writer->write_section("SRCE", source_section("a.cu", "text")));
  ASSERT_TRUE(writer->finish(capture));
}

TEST(CaptureFileTest, MemoryAndCodeComeBackByteForByte) {
  const CaptureFolder folder;
  for (const bool packed : {false, true}) {
    const std::string before = counted_words(1, 10'000), after = counted_words(77, 10'000);
    write(folder("a.wcap"), made_capture(), before, after,
          packed ? CaptureWriter::Pack(pack_section) : CaptureWriter::Pack());
    const Result<CaptureFile> file = CaptureFile::open(folder("a.wcap"));
    ASSERT_TRUE(file) << sentence(file.error());
    EXPECT_EQ(*file->memory(0, Side::before), before);
    EXPECT_EQ(*file->memory(0, Side::after), after);
    EXPECT_EQ(*file->memory(0, Side::after, 4090, 20), after.substr(4090, 20));
    EXPECT_EQ(*file->memory(1, Side::before), std::string(64, 't'));
    EXPECT_EQ(*file->memory(1, Side::after), std::string(64, 't'));
    EXPECT_FALSE(file->unchanged(0));
    EXPECT_TRUE(file->unchanged(1));
    EXPECT_EQ(*file->code(), "machine code");
    EXPECT_EQ(*file->image(), "");
    EXPECT_EQ(*file->ptx(), "ptx");
    EXPECT_EQ(file->sources()->at(0).name, "a.cu");
    EXPECT_EQ(file->sources()->at(0).text, "text");
    EXPECT_TRUE(file->check());
  }
}

TEST(CaptureFileTest, DescriptionComesBackWhole) {
  Capture c = made_capture();
  c.made_by = "w";
  c.time = "t";
  c.process = 7;
  c.device_uuid = "GPU-1";
  c.driver = 13000;
  c.launch.cluster = {2, 1, 1};
  c.launch.cooperative = true;
  c.range = "step/forward";
  c.data = false;
  c.ptx_origin = "o";
  c.notes = {"n1", "n2"};
  c.pointers.push_back({true, 0, 8, 1, 64});  // one past the end is an address that programs have
  c.parameters.push_back({128, std::string(256, 'm')});
  CapturedTensorMap tiled, columns;
  tiled = {3, 64, 0x7f0000000100, 7, 0, 3, 2, 0, {40, 24}, {160}, {32, 16}, {1, 1}, {}, {}, 0, 0};
  columns = {
      3,  128,          0x7f0000000100, 6,        0,  0, 0, 1, {64, 8, 8, 2}, {128, 1024, 8192},
      {}, {1, 1, 1, 1}, {-1, -1},       {-1, -1}, 64, 32};
  c.tensor_maps = {tiled, columns};
  const Result<Capture> read = capture_of_json(json_of_capture(c), "a");
  ASSERT_TRUE(read) << sentence(read.error());
  EXPECT_EQ(json_of_capture(*read), json_of_capture(c));
  EXPECT_EQ(read->tensor_maps, c.tensor_maps);
  EXPECT_EQ(read->launch.cluster, (Dim3{2, 1, 1}));
  EXPECT_EQ(read->pointers, c.pointers);
  EXPECT_EQ(read->memory, c.memory);
  EXPECT_EQ(read->parameters[1].bytes, raw_bytes(2.0f));
}

// Captures of before tensor maps were kept have no such field.
TEST(CaptureFileTest, ADescriptionWithoutTensorMapsIsReadAsBefore) {
  std::string text = json_of_capture(made_capture());
  const std::string field = "\"tensor_maps\":[]";
  const std::size_t at = text.find("," + field);
  ASSERT_NE(at, std::string::npos);
  text.erase(at, field.size() + 1);
  const Result<Capture> read = capture_of_json(text, "a");
  ASSERT_TRUE(read) << sentence(read.error());
  EXPECT_TRUE(read->tensor_maps.empty());
}

TEST(CaptureFileTest, ATensorMapThatNoParameterHoldsIsRefused) {
  Capture c = made_capture();
  c.parameters.push_back({128, std::string(128, 'm')});
  CapturedTensorMap map;
  map.parameter = 3;
  map.extents = map.strides = {1};
  map.box = map.steps = {1};
  c.tensor_maps = {map};
  ASSERT_TRUE(capture_of_json(json_of_capture(c), "a"));
  for (const auto& [parameter, at, dimensions, said] :
       {std::tuple{4u, 0u, 1u, "outside of its parameter"},
        {3u, 8u, 1u, "outside of its parameter"},
        {0u, 0u, 1u, "outside of its parameter"},
        {3u, 0u, 6u, "more than five dimensions"}}) {
    c.tensor_maps[0].parameter = parameter;
    c.tensor_maps[0].at = at;
    c.tensor_maps[0].extents.assign(dimensions, 1);
    const Result<Capture> read = capture_of_json(json_of_capture(c), "a");
    ASSERT_FALSE(read) << parameter << " " << at;
    EXPECT_THAT(read.error().what, HasSubstr(said));
  }
}

// 64 MiB of which all pages but two are alike or zero take two pages, and 8 bytes a page in the
// table: 128 KiB.
TEST(CaptureFileTest, EqualPagesAreStoredOnceAndZeroPagesNotAtAll) {
  const CaptureFolder folder;
  constexpr std::size_t kBytes = 64 << 20;
  std::string before(kBytes, '\0');
  for (std::size_t at = kBytes / 2; at < kBytes; at += kPageBytes)
    before.replace(at, kPageBytes, counted_words(5, kPageBytes));
  std::string after = before;
  after[4096 + 17] = 'x';
  Result<CaptureWriter> writer = CaptureWriter::create(folder("a.wcap"));
  ASSERT_TRUE(writer);
  add(*writer, 0, CaptureWriter::Side::before, before, 1 << 20);
  add(*writer, 0, CaptureWriter::Side::after, after, 1 << 20);
  ASSERT_TRUE(writer->finish(made_capture(kBytes)));
  EXPECT_LT(bytes_of_file(folder("a.wcap")).size(), (128u << 10) + 2 * kPageBytes + 4000);
  const Result<CaptureFile> file = CaptureFile::open(folder("a.wcap"));
  ASSERT_TRUE(file) << sentence(file.error());
  EXPECT_EQ(*file->memory(0, Side::after, 4096, 4096), after.substr(4096, 4096));
  EXPECT_TRUE(*file->memory(0, Side::before) == before);
}

TEST(CaptureFileTest, MemoryThatWasNotGivenIsNotKept) {
  const CaptureFolder folder;
  Capture c = made_capture();
  c.data = false;
  Result<CaptureWriter> writer = CaptureWriter::create(folder("a.wcap"));
  ASSERT_TRUE(writer->finish(c));
  const Result<CaptureFile> file = CaptureFile::open(folder("a.wcap"));
  ASSERT_TRUE(file);
  EXPECT_FALSE(file->kept(0, Side::before));
  EXPECT_EQ(*file->memory(0, Side::before), std::string(10'000, '\0'));
}

TEST(CaptureFileTest, AFileAppearsOnlyWhenItIsWhole) {
  const CaptureFolder folder;
  { Result<CaptureWriter> writer = CaptureWriter::create(folder("a.wcap")); }
  EXPECT_FALSE(std::filesystem::exists(folder("a.wcap")));
  EXPECT_FALSE(std::filesystem::exists(folder("a.wcap.part")));
}

TEST(CaptureFileTest, AFolderThatIsNotThereIsOneSentence) {
  const Result<CaptureWriter> writer = CaptureWriter::create("/nowhere/at/all/a.wcap");
  ASSERT_FALSE(writer);
  EXPECT_EQ(sentence(writer.error()),
            "/nowhere/at/all/a.wcap: the capture cannot be written: No such file or directory; "
            "choose another folder with --out");
}

struct Damage {
  const char* name;
  std::function<void(std::string& bytes)> make;
  const char* sentence;
};

TEST(CaptureFileTest, EveryDamageIsOneSentence) {
  const CaptureFolder folder;
  write(folder("a.wcap"), made_capture(), counted_words(1, 10'000), counted_words(2, 10'000));
  const std::string good = bytes_of_file(folder("a.wcap"));
  const Damage damages[] = {
      {"empty", [](std::string& b) { b.clear(); }, "it is not a capture"},
      {"other", [](std::string& b) { b[1] = 'X'; }, "it is not a capture"},
      {"newer", [](std::string& b) { b[8] = 9; }, "the capture has version 9, and this"},
      {"head", [](std::string& b) { b[17] ^= 1; }, "the checksum of a section's head is another"},
      {"torn", [](std::string& b) { b.resize(b.size() - 50); }, "it ends early"},
      {"unfinished", [](std::string& b) { b.resize(b.size() - 40); }, "it has no end"},
      {"more", [](std::string& b) { b += "x"; }, "something follows its end"}};
  for (const Damage& damage : damages) {
    std::string bytes = good;
    damage.make(bytes);
    write_bytes(folder("b.wcap"), bytes);
    const Result<CaptureFile> file = CaptureFile::open(folder("b.wcap"));
    ASSERT_FALSE(file) << damage.name;
    EXPECT_THAT(sentence(file.error()), HasSubstr(damage.sentence)) << damage.name;
    EXPECT_EQ(file.error().kind, ErrorKind::input) << damage.name;
  }
  std::string bytes = good;
  const std::size_t at = bytes.find("PAGE") + kSectionHeadBytes + 8;
  bytes[at] = static_cast<char>(bytes[at] ^ 4);
  write_bytes(folder("b.wcap"), bytes);
  const Result<CaptureFile> file = CaptureFile::open(folder("b.wcap"));
  ASSERT_TRUE(file);
  ASSERT_FALSE(file->check());
  EXPECT_THAT(sentence(file->check().error()), HasSubstr("the checksum of its section PAGE"));
  EXPECT_FALSE(file->memory(0, Side::before));
}

TEST(CaptureFileTest, ADescriptionThatLeadsOutOfItsMemoryIsRefused) {
  const auto refuse = [](const std::function<void(Capture&)>& change, const char* why) {
    Capture c = made_capture();
    change(c);
    const Result<Capture> read = capture_of_json(json_of_capture(c), "a.wcap");
    ASSERT_FALSE(read) << why;
    EXPECT_THAT(sentence(read.error()), HasSubstr(why));
  };
  refuse([](Capture& c) { c.pointers[0].memory = 2; }, "a pointer leads nowhere");
  refuse([](Capture& c) { c.pointers[0].holder = 3; }, "a pointer leads nowhere");
  refuse([](Capture& c) { c.pointers[0].holder = 1; }, "a pointer lies outside");
  refuse([](Capture& c) { c.pointers[0].offset = 10'001; }, "a pointer lies outside");
  refuse([](Capture& c) { c.pointers[0].at = 1; }, "a pointer lies outside");
  refuse([](Capture& c) { c.memory[0].bytes = std::uint64_t{1} << 40; }, "more than 8 GiB");
  refuse([](Capture& c) { c.memory[0].address = ~std::uint64_t{0} - 5; }, "ends nowhere");
  refuse([](Capture& c) { c.parameters[1].offset = 4; }, "parameters overlap");
  refuse([](Capture& c) { c.parameters[2].offset = 40'000; }, "longer than a kernel takes");
  refuse([](Capture& c) { c.launch.grid.y = 0; }, "grid has an extent that no launch has");
  refuse([](Capture& c) { c.symbol.clear(); }, "the kernel has no name");
}

TEST(CaptureFileTest, APackedCopyHasTheSameMemoryAndWhatWasAdded) {
  const CaptureFolder folder;
  const std::string before = counted_words(1, 10'000), after = counted_words(9, 10'000);
  write(folder("a.wcap"), made_capture(), before, after, {});
  const Result<CaptureFile> from = CaptureFile::open(folder("a.wcap"));
  ASSERT_TRUE(from);
  CaptureAdditions additions;
  additions.ptx = ".version 8.0";
  additions.ptx_origin = "here";
  additions.notes = {"one more"};
  additions.sources = {{"b.cu", "x"}, {"c.cuh", "y"}};
  ASSERT_TRUE(copy_packed(*from, additions, folder("b.wcap")));
  const Result<CaptureFile> copy = CaptureFile::open(folder("b.wcap"));
  ASSERT_TRUE(copy) << sentence(copy.error());
  EXPECT_EQ(*copy->memory(0, Side::before), before);
  EXPECT_EQ(*copy->memory(0, Side::after), after);
  EXPECT_TRUE(copy->unchanged(1));
  EXPECT_EQ(*copy->ptx(), ".version 8.0");
  EXPECT_EQ(copy->capture().ptx_origin, "here");
  EXPECT_THAT(copy->capture().notes, testing::ElementsAre("one more"));
  EXPECT_EQ(copy->sources()->size(), 2u);
}

// "123456789" has this checksum. source: the catalogue of CRC algorithms, CRC-32/ISO-HDLC.
TEST(CaptureFileTest, TheChecksumIsThatOfGzip) {
  EXPECT_EQ(crc32_of("123456789"), 0xCBF43926u);
  EXPECT_EQ(crc32_of(""), 0u);
}

}  // namespace
}  // namespace warpscope
