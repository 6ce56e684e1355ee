// tests/fuzz/parsers_test.cpp: no text, however broken, crashes a parser or gets past it half-read.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <span>
#include <sstream>

#include "profiling/messages/packed_text.h"
#include "profiling/messages/protocol.h"
#include "profiling/session/session.h"
#include "scenes/base/axis.h"
#include "scenes/catalogue.h"
#include "scenes/esmm/inputs/npy_file.h"
#include "scenes/host/matrix_market.h"
#include "scenes/led/frame_files.h"
#include "tests/folders.h"
#include "tests/fuzz/mutation.h"
#include "tests/fuzz/png_of.h"
#include "workbench/lessons/lesson.h"

namespace warpscope {
namespace {

// An expected failure names what is wrong, and is never called a defect of ours.
void expect_explained(const Error& error, const std::string& text) {
  EXPECT_FALSE(error.what.empty()) << text;
  EXPECT_NE(error.kind, ErrorKind::internal) << sentence(error) << "\n" << text;
}

const std::vector<std::string> kNumbers = {"0",     "-1",   "1e999", "nan",  "inf",
                                           "-inf",  "1e-9", "",      " ",    "99999999999999999999",
                                           "2e9",   "0x10", "1,2",   "+5",   "9223372036854775807",
                                           "1:2:3", "::",   "1:9:0", "\xff", "2147483648"};

const std::vector<std::string>& matrices() {
  static const std::vector<std::string> texts = {
      "%%MatrixMarket matrix coordinate real general\n% a comment\n3 4 4\n1 1 1.5\n2 4 -2\n3 1 "
      "1e-3\n3 3 7\n",
      "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 3\n1 1\n2 1\n3 2\n",
      "%%MatrixMarket matrix coordinate integer skew-symmetric\n3 3 2\n2 1 5\n3 1 -6\n",
      "%%MatrixMarket matrix coordinate complex hermitian\n2 2 2\n1 1 1 0\n2 1 3 -4\n",
      "%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n4\n",
      "%%MatrixMarket matrix array real symmetric\n2 2\n1\n2\n3\n"};
  return texts;
}

// A trace with a little of everything, so that mutations meet every field.
Trace traced() {
  Trace t;
  t.scene = "csrmm";
  t.variant = "warp_row";
  t.key = "n=256";
  t.step = "multiply";
  t.launch = {{4, 2, 1}, {96, 1, 1}, 0, {1, 1, 1}};  // three warps
  t.buffers = {{"b", "B[k, n]", ElementType::f32, {16, 32}, 4096, 2048}};
  AccessSite site;
  site.position = {"csrmm/warp_row.cu", 31, 7};
  site.inlined_at = {{"csrmm/rows_of_b.cuh", 9, 3}};
  site.text = "ld.global.f32";
  site.totals.requests = 2;
  t.sites = {site};
  t.lines = {{site.position, 9, 99, site.totals, {}, {}, 1}};
  WarpRequest gather;
  gather.active = 0x8000000FU;
  gather.addresses = {4096, 5000, 4100, 9000};
  gather.addresses[31] = 4;
  WarpRequest straight;
  straight.active = 3;
  straight.addresses = {4096, 4112};
  t.requests = {gather, straight};
  t.issued = {{{0, 0xFFFFFFFFU, 31}, {1, 0xFFFFFFFFU, 31}, {7, 3, 32}}, {}};
  t.issued.push_back(t.issued[0]);
  Fault fault;
  fault.sentence = "out of bounds";
  t.faults = {fault};
  return t;
}

const std::vector<std::string>& lines() {
  static const std::vector<std::string> texts = [] {
    Hello hello;
    hello.role = "measure";
    hello.build = "0.1.0";
    hello.device = DeviceDescription{.name = "a device", .compute_capability = 90};
    hello.capabilities = {{"counters", false, "", "no permission", "ask for it"}};
    Job job;
    job.job = 7;
    job.tag = "live/warp_row";
    job.scene = "csrmm";
    job.variant = "warp_row";
    job.axes = {{"n", "256"}};
    Measurement measurement;
    measurement.job = 7;
    measurement.scene = "csrmm";
    measurement.variant = "warp_row";
    measurement.axes.set("n", std::int64_t{256});
    measurement.axes.set("p", 0.02);
    measurement.axes.set("op", std::string("NT"));
    measurement.key = "n=256,p=0.02,op=NT";
    measurement.warm = Timing{};
    measurement.cold = Timing{};
    measurement.steps.emplace_back();
    LineCounters& counted = measurement.steps.back().lines;
    counted.rows = {{{"csrmm/warp_row.cu", 31, 0}, {{"csrmm/rows_of_b.cuh", 9, 0}}, 4, {}}};
    counted.rows[0].figures[LineMetric::sectors] = 128;
    counted.missing.emplace_back();
    measurement.metrics.emplace_back();
    Done failed;
    failed.job = 7;
    failed.status = DoneStatus::failed;
    failed.error = Error{ErrorKind::fault, "an illegal address", "warp_row", "look at it"};
    Compilation compiled;
    compiled.point = {"csrmm", "warp_row", measurement.key, "", ""};
    compiled.axes = measurement.axes;
    compiled.facts = {{"nnz", 4}};
    compiled.steps.emplace_back();
    compiled.steps.back().resources = KernelResources{255, 1024, 0, 16, 0, 0, 12, 20, 512};
    OutputPair pair;
    pair.first = pair.second = compiled.point;
    pair.outputs.emplace_back();
    pair.outputs.back().at = "c[1, 2]";
    HardVerdict hard;
    hard.point = compiled.point;
    hard.hard_case = "one_odd_weight";
    hard.first_wrong = {"c[1, 2]", "nan", "0.75"};
    Listing listing;
    listing.point = compiled.point;
    listing.files = {"csrmm/warp_row.cu"};
    listing.defines = {{"UNROLL", "4"}};
    listing.ptx = ".visible .entry k()\n{\n}\n";
    const Trace trace = traced();
    std::vector<std::string> all;
    for (const Message& message :
         {Message(hello), Message(job), Message(Cancel{7}),
          Message(Progress{7, 0.5, "half", 3, "pid 12 of alice", 4}), Message(measurement),
          Message(RoofSet{}), Message(Timeline{}), Message(Trace{}), Message(trace),
          Message(compiled), Message(pair), Message(hard), Message(listing),
          Message(LogLine{"info", "text", 7}), Message(failed)}) {
      all.push_back(to_line(message));
    }
    all.push_back(R"({"type":"from the future","x":[1,2,{"y":null}]})");
    return all;
  }();
  return texts;
}

const std::vector<std::string> kJson = {"null",
                                        "{}",
                                        "[]",
                                        "\"\"",
                                        "-1",
                                        "1e999",
                                        "1e308",
                                        "true",
                                        "\"",
                                        "\\u0000",
                                        "\\ud800",
                                        "[[[[[[[[[[[[",
                                        "\"type\"",
                                        ":",
                                        ",",
                                        "18446744073709551616",
                                        "\xff",
                                        "\"job\"",
                                        "0.5",
                                        "\"\\",
                                        "9223372036854775807"};

TEST(Fuzz, MatrixMarketGivesAWholeMatrixOrASentence) {
  std::vector<std::string> words = kNumbers;
  for (const char* word : {"%", "\n", "\r\n", "%%MatrixMarket", "pattern", "array", "symmetric",
                           "3 3 3", "1000000 1000000 1", "3 3 4000000000", "2147483647 1 1"}) {
    words.emplace_back(word);
  }
  std::int64_t read = 0;
  const std::int64_t cases = for_mutations(matrices(), words, [&](const std::string& text) {
    const Result<SparseMatrix> matrix = parse_matrix_market(text, "fuzz.mtx");
    if (!matrix) return expect_explained(matrix.error(), text);
    ++read;
    const auto rows = static_cast<std::size_t>(matrix->rows);
    ASSERT_EQ(matrix->indptr.size(), rows + 1) << text;
    ASSERT_EQ(matrix->indptr.front(), 0) << text;
    ASSERT_EQ(static_cast<std::size_t>(matrix->indptr.back()), matrix->indices.size()) << text;
    ASSERT_EQ(matrix->values.size(), matrix->indices.size()) << text;
    for (std::size_t row = 0; row < rows; ++row) {
      ASSERT_LE(matrix->indptr[row], matrix->indptr[row + 1]) << text;
    }
    for (const std::int32_t column : matrix->indices) {
      ASSERT_TRUE(column >= 0 && column < matrix->columns) << text;
    }
    for (const float value : matrix->values) ASSERT_TRUE(std::isfinite(value)) << text;
  });
  EXPECT_LT(read, cases) << "no mutation was refused";
  EXPECT_GT(read, 0) << "nothing was read";
}

// The smallest pictures: a PNG of one grey pixel and a PPM of two.
std::vector<std::string> pictures() {
  const unsigned char png[] = {137, 80, 78,  71,  13, 10, 26,  10,  0,   0,   0,   13,  73,  72,
                               68,  82, 0,   0,   0,  1,  0,   0,   0,   1,   8,   0,   0,   0,
                               0,   58, 126, 155, 85, 0,  0,   0,   10,  73,  68,  65,  84,  120,
                               156, 99, 104, 0,   0,  0,  130, 0,   129, 119, 205, 114, 182, 0,
                               0,   0,  0,   73,  69, 78, 68,  174, 66,  96,  130};
  return {std::string(reinterpret_cast<const char*>(png), sizeof png), "P6\n2 1\n255\nabcdef"};
}

TEST(Fuzz, ANpyFileGivesAWholeMatrixOrASentence) {
  std::string file("\x93NUMPY\x01\x00\x76\x00", 10);
  file += "{'descr': '<f8', 'fortran_order': True, 'shape': (2, 3), }";
  file.resize(128, ' ');
  file.resize(128 + 6 * 8, '\x3f');
  std::vector<std::string> words = kNumbers;
  for (const char* word : {"'<f4'", "'<f2'", "'>f8'", "'|O'", "(", ")", ",", "False", "'shape'"})
    words.emplace_back(word);
  std::int64_t read = 0;
  for_mutations({file}, words, [&](const std::string& text) {
    const Result<NpyMatrix> matrix = parse_npy(text, "fuzz.npy");
    if (!matrix) return expect_explained(matrix.error(), text);
    ++read;
    ASSERT_EQ(static_cast<std::int64_t>(matrix->values.size()), matrix->rows * matrix->columns);
    ASSERT_LE(matrix->inexact, matrix->rows * matrix->columns);
  });
  EXPECT_GT(read, 2);
}

TEST(Fuzz, APictureGivesWholePixelsOrASentence) {
  const std::vector<std::string> words = {
      "P6",   "P5",   " 255\n", "65535", "1000000 1000000", "IHDR",     "IDAT",
      "IEND", "PLTE", "tRNS",   "#",     "2147483647",      "\xff\xff", "16384 1"};
  std::int64_t read = 0;
  for_mutations(pictures(), words, [&](const std::string& text) {
    const Result<led::Picture> picture =
        led::parse_picture(std::as_bytes(std::span(text)), "fuzz.png");
    if (!picture) return expect_explained(picture.error(), text);
    ++read;
    ASSERT_EQ(static_cast<std::int64_t>(picture->pixels.size()),
              picture->rows * picture->columns * picture->channels);
    if (const auto plane = led::plane_of(*picture, 0, 1, 3, 5); plane) {
      ASSERT_EQ(plane->size(), 15u);
    }
  });
  EXPECT_GT(read, 2);
}

TEST(Fuzz, AMessageReadsBackAsItWasWritten) {
  std::int64_t read = 0;
  for_mutations(lines(), kJson, [&](const std::string& text) {
    const Result<Message> message = parse_line(text);
    if (!message) return expect_explained(message.error(), text);
    ++read;
    const std::string line = to_line(*message);
    EXPECT_EQ(line.find('\n'), std::string::npos) << text;
    const Result<Message> again = parse_line(line);
    ASSERT_TRUE(again) << sentence(again.error()) << "\n" << text << "\n" << line;
    EXPECT_EQ(again->index(), message->index()) << text;
    EXPECT_EQ(to_line(*again), line) << text;
  });
  EXPECT_GT(read, static_cast<std::int64_t>(lines().size()));
}

// A session of every kind of line.
std::string all_lines() {
  std::string whole;
  for (const std::string& line : lines()) whole += line + "\n";
  return whole;
}

// What a session is mutated with: the words of its lines, and ends of lines.
std::vector<std::string> json_lines() {
  std::vector<std::string> words = kJson;
  words.insert(words.end(), {"\n", "\n\n", "\r\n", std::string(1, '\0')});
  return words;
}

std::filesystem::path file_of_its_own(const std::string& name) {
  return std::filesystem::temp_directory_path() /
         (name + "_" + std::to_string(std::random_device{}()) + ".wsj");
}

TEST(Fuzz, ASessionFileGivesItsLinesOrWarnings) {
  const std::string whole = all_lines();
  const std::filesystem::path path = file_of_its_own("warpscope_fuzz");
  for_mutations({whole}, json_lines(), [&](const std::string& text) {
    std::ofstream(path, std::ios::binary) << text;
    const Result<SessionReading> reading = read_session(path);
    if (!reading) return expect_explained(reading.error(), text);
    for (const Measurement* point : reading->session.all_points()) {
      EXPECT_EQ(reading->session.latest(id_of(*point)), point);
    }
  });
  std::filesystem::remove(path);
}

TEST(Fuzz, APackedSessionGivesItsLinesOrWarnings) {
  const std::string whole = all_lines();
  const std::string half = whole.substr(0, whole.size() / 2), rest = whole.substr(half.size());
  const std::vector<std::string> seeds = {*pack(whole), *pack(half) + *pack(rest), *pack("")};
  const std::vector<std::string> words = {std::string("\x1f\x8b\x08\0\0\0\0\0\0\x03", 10),
                                          "\x1f\x8b",
                                          std::string(8, '\0'),
                                          "\xff\xff\xff\xff",
                                          *pack("\n"),
                                          std::string("\x01\x02\0\xfd\xff{}", 7),
                                          "{\"type\":\"progress\"}\n"};
  const std::filesystem::path path = file_of_its_own("warpscope_fuzz_packed");
  constexpr std::int64_t kMostBytes = 1 << 20;
  std::int64_t whole_ones = 0, parts = 0, refused = 0;
  for_mutations(seeds, words, [&](const std::string& bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
    const Result<SessionReading> reading = read_session(path, kMostBytes);
    const Result<std::string> text = session_text(path, kMostBytes);
    if (text) {
      EXPECT_LE(static_cast<std::int64_t>(text->size()), kMostBytes + 1);
    } else {
      expect_explained(text.error(), bytes);
    }
    if (!reading) {
      ++refused;
      return expect_explained(reading.error(), bytes);
    }
    EXPECT_TRUE(text) << "lines were read, and not their text";
    ++(reading->warnings.empty() ? whole_ones : parts);
  });
  std::filesystem::remove(path);
  EXPECT_GT(whole_ones, 1);
  EXPECT_GT(parts, 10);
  EXPECT_GT(refused, 10);
}

// What is broken is broken packed or not.
TEST(Fuzz, ASessionReadsPackedAsItReadsUnpacked) {
  const std::string whole = all_lines();
  const std::filesystem::path path = file_of_its_own("warpscope_fuzz_both");
  for_mutations({whole}, json_lines(), [&](const std::string& text) {
    if (begins_packed(text)) return;
    std::ofstream(path, std::ios::binary) << text;
    const Result<SessionReading> plain = read_session(path);
    std::ofstream(path, std::ios::binary) << *pack(text);
    const Result<SessionReading> packed = read_session(path);
    ASSERT_EQ(packed.has_value(), plain.has_value()) << text;
    if (!plain) {
      EXPECT_EQ(sentence(packed.error()), sentence(plain.error())) << text;
      return;
    }
    EXPECT_EQ(packed->lines, plain->lines) << text;
    EXPECT_EQ(packed->warnings, plain->warnings) << text;
    EXPECT_EQ(packed->session.history().size(), plain->session.history().size()) << text;
  });
  std::filesystem::remove(path);
}

TEST(Fuzz, AnAxisTakesOnlyWhatMayBeTyped) {
  std::vector<std::string> seeds = {"256",      "0.02", "hetero",    "1,2,4",
                                    "32:512:5", "auto", "matrix.mtx"};
  for (const Scene& scene : built_in_catalogue().scenes()) {
    const Configuration start = with_defaults(scene.axes, {});
    for_mutations(seeds, kNumbers, [&](const std::string& text) {
      for (const Axis& axis : scene.axes) {
        const auto inside = [&](const AxisValue& value) {
          double number = 0;
          if (const auto* whole = std::get_if<std::int64_t>(&value)) {
            number = static_cast<double>(*whole);
          } else if (const auto* real = std::get_if<double>(&value)) {
            number = *real;
          } else {
            return;
          }
          EXPECT_GE(number, axis.typed_minimum) << axis.name << "=" << text;
          EXPECT_LE(number, axis.typed_maximum) << axis.name << "=" << text;
        };
        if (Result<AxisValue> value = parse_axis_value(axis, text); value) {
          inside(*value);
          const Result<AxisValue> again = parse_axis_value(axis, to_text(*value));
          EXPECT_TRUE(again && *again == *value) << axis.name << "=" << text;
        } else {
          expect_explained(value.error(), text);
        }
        if (Result<std::vector<AxisValue>> range = parse_axis_range(axis, text); range) {
          EXPECT_FALSE(range->empty()) << axis.name << "=" << text;
          for (const AxisValue& value : *range) inside(value);
        } else {
          expect_explained(range.error(), text);
        }
        if (Result<Configuration> c = with_values(scene.axes, start, {{axis.name, text}}); !c) {
          expect_explained(c.error(), text);
        }
      }
    });
  }
}

TEST(Fuzz, ALessonIsReadOrRefusedWithASentence) {
  std::vector<std::string> seeds;
  for (const auto& entry :
       std::filesystem::directory_iterator(source_folder() / "assets" / "lessons")) {
    if (entry.path().extension() != ".json") continue;
    std::ostringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    seeds.push_back(text.str());
  }
  ASSERT_FALSE(seeds.empty());
  seeds.push_back(R"({"title": "t", "scene": "csrmm", "steps": [
      {"text": "{request.sectors}", "request": {"line": "float", "warp": 1, "visit": 2},
       "notes": "n", "question": {"ask": "a", "number": "auto.time.warm", "unit": "us",
       "hint": "h", "explain": "e", "spotlight": {"panel": "banks"}}},
      {"text": "b", "question": {"ask": "a", "explain": "e", "click": {"sector": "sector.lanes = 0"}}},
      {"text": "c", "question": {"ask": "a", "explain": "e", "choices": [{"text": "y", "right": true},
       {"text": "n", "right": "1 < auto.time.warm / auto.time.cold", "hint": "h"}]}}]})");
  seeds.push_back(R"({"title": "t", "scene": "csrmm", "minutes": 3.5, "steps": [
      {"text": "a", "maximise": "banks", "spotlight": {"panel": "banks"}},
      {"spotlight": {"line": "float sum"}}, {"spotlight": {"metric": "time.warm"}}]})");
  std::int64_t refused = 0;
  for_mutations(seeds, kJson, [&](const std::string& text) {
    const Result<Lesson> lesson = parse_lesson(text, "fuzz.json");
    if (lesson) return;
    ++refused;
    expect_explained(lesson.error(), text);
  });
  EXPECT_GT(refused, 0);
}

// The decoder's own reasons are codes for programmers, or none at all.
TEST(BrokenPictures, AreExplainedInASentence) {
  const auto why = [](const std::string& bytes) {
    const auto picture = led::parse_picture(std::as_bytes(std::span(bytes)), "a.png");
    return picture ? std::string() : picture.error().what;
  };
  const std::string whole = png_of(16, 16, 3);
  EXPECT_EQ(why(whole), "");
  const std::size_t pixels = whole.find("IDAT"), end = whole.find("IEND");
  ASSERT_LT(pixels, end);
  // Cut in the length of the pixels, at their beginning, in them, after them, before the end.
  for (const std::size_t length : {pixels - 2, pixels + 4, pixels + 9, end - 8, end - 4})
    EXPECT_THAT(why(whole.substr(0, length)), testing::HasSubstr("truncated")) << length;
  for (const char* other : {"garbage", "\x78\x9c\xff\xff\xff\xff\xff"}) {
    std::string broken = whole;
    broken.replace(pixels + 4, 7, other, 7);
    EXPECT_THAT(why(broken), testing::HasSubstr("its pixels cannot be decompressed"));
  }
  for (const char* kind : {"IA\xffg", "ABCD", "I\x01\x02\x03"}) {
    std::string broken = whole;
    broken.replace(pixels, 4, kind, 4);
    EXPECT_EQ(why(broken), "it is damaged: it has a chunk that is not valid in a PNG") << kind;
  }
}

}  // namespace
}  // namespace warpscope
