// tests/profiling/gate/gate_file_test.cpp: the two parts of a gate's file, read and written.
#include "profiling/gate/gate_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "profiling/gate/gate_record.h"
#include "scenes/catalogue.h"
#include "tests/folders.h"

namespace warpscope {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr const char* kOwn = R"(# our kernels
architectures = [90, 80]   # H200 and A100
[allow]
instructions = "1%"
registers = 2
[[kernel]]
scene = "saxpy/by_element"   # one lane per element
axes = { n = 1000, kind = "f16" }
allow = { instructions = 5 }
[[kernel]]
name = "norm"
launch = "norm.toml"
values = { rows = 128 }
outputs = "none"
)";

GateRecords two_records() {
  GateRecord emulated;
  emulated.kernel = "norm \"f32\"";
  emulated.step = "sum\\all";
  emulated.counts = {{"instructions", 100}, {"faults", 0}, {"registers", 12}};
  emulated.outputs = {{"y", {"00ff", ""}}, {"z", {"", "the last bit of ex2"}}};
  emulated.lines = {{"k.cu", "y[i] = \"x\";", 12, {{"instructions", 100}}}};
  GateRecord compiled;
  compiled.architecture = 80;
  compiled.kernel = "norm \"f32\"";
  compiled.counts = {{"registers", 14}};
  return {"13.0", {compiled, emulated}};
}

std::string refusal_of(std::string_view text) {
  const auto file = parse_gate_file(text, "gate.toml");
  return file ? "" : sentence(file.error());
}

std::string torn_words(std::string_view text) {
  const auto recorded = parse_recorded(text, "gate.toml");
  return recorded ? "" : sentence(recorded.error());
}

TEST(GateFile, HasKernelsWithTheirAxesAndWhatTheyMayGetWorseBy) {
  const auto file = parse_gate_file(kOwn, "gate.toml");
  ASSERT_TRUE(file) << sentence(file.error());
  EXPECT_EQ(file->architectures, (std::vector<int>{90, 80}));
  EXPECT_EQ(file->code, TracedCode::ptx);
  ASSERT_EQ(file->kernels.size(), 2u);
  const GateKernel &scene = file->kernels[0], &launch = file->kernels[1];
  EXPECT_EQ(scene.name, "saxpy/by_element n=1000 kind=f16") << "what is recorded has a name";
  EXPECT_EQ(scene.axes.at("n"), "1000");
  EXPECT_TRUE(scene.outputs);
  EXPECT_EQ(launch.name, "norm");
  EXPECT_EQ(launch.axes.at("rows"), "128");
  EXPECT_FALSE(launch.outputs);
  EXPECT_EQ(allowance_of(*file, &scene, "instructions").count, 5) << "its own comes first";
  EXPECT_EQ(allowance_of(*file, &scene, "instructions").ratio, 0);
  EXPECT_EQ(allowance_of(*file, &launch, "instructions").ratio, 0.01);
  EXPECT_EQ(allowance_of(*file, &launch, "registers").count, 2);
  EXPECT_EQ(allowance_of(*file, &launch, "global_sectors").count, 0) << "nothing is allowed";
}

TEST(GateFile, NamesEachMistakeWithItsLineAndARemedy) {
  const std::string kernel = "[[kernel]]\nscene = \"a/b\"\n";
  EXPECT_THAT(refusal_of("architectures = [90]\n"), HasSubstr("no kernel is named"));
  EXPECT_THAT(refusal_of(kernel + "axis = { n = 1 }\n"), AllOf(HasSubstr(":3"), HasSubstr("axes")));
  EXPECT_THAT(refusal_of("[allow]\nsectors = 1\n" + kernel),
              AllOf(HasSubstr(":2"), HasSubstr("no count “sectors”"), HasSubstr("global_sectors")));
  EXPECT_THAT(refusal_of("[allow]\nregisters = \"2\"\n" + kernel), HasSubstr("\"1%\""));
  EXPECT_THAT(refusal_of("[allow]\nregisters = \"-1%\"\n" + kernel), HasSubstr("\"1%\""));
  EXPECT_THAT(refusal_of("[allow]\nregisters = \"nan%\"\n" + kernel), HasSubstr("\"1%\""));
  EXPECT_THAT(refusal_of(kernel + kernel), HasSubstr("two kernels are called “a/b”"));
  EXPECT_THAT(refusal_of(kernel + "launch = \"l.toml\"\n"),
              HasSubstr("either a scene or a launch"));
  EXPECT_THAT(refusal_of("architectures = [91]\n" + kernel),
              AllOf(HasSubstr("no architecture sm_91"), HasSubstr("90")));
  EXPECT_THAT(refusal_of("code = \"best\"\n" + kernel), HasSubstr("sass"));
  EXPECT_THAT(refusal_of("[[kernel]\n"), HasSubstr("gate.toml"));
}

TEST(GateRecord, IsReadAsItWasWritten) {
  const std::string text = with_recorded(kOwn, two_records());
  const auto read = parse_recorded(text, "gate.toml");
  ASSERT_TRUE(read) << sentence(read.error());
  EXPECT_EQ(read->toolkit, "13.0");
  ASSERT_EQ(read->records.size(), 2u);
  const GateRecord& first = read->records[0];
  EXPECT_EQ(first.architecture, 90);
  EXPECT_EQ(first.kernel, "norm \"f32\"");
  EXPECT_EQ(first.step, "sum\\all");
  EXPECT_EQ(first.counts, two_records().records[1].counts);
  EXPECT_EQ(first.outputs, two_records().records[1].outputs);
  ASSERT_EQ(first.lines.size(), 1u);
  EXPECT_EQ(first.lines[0].text, "y[i] = \"x\";");
  EXPECT_EQ(first.lines[0].line, 0) << "a line further up would move it";
  EXPECT_EQ(read->records[1].architecture, 80);
}

TEST(GateRecord, LeavesThePersonsPartAndItsCommentsAsTheyAre) {
  const std::string once = with_recorded(kOwn, two_records());
  EXPECT_TRUE(once.starts_with(kOwn));
  EXPECT_EQ(own_part(once), kOwn);
  EXPECT_EQ(with_recorded(once, two_records()), once) << "the same counts give the same bytes";
  GateRecords other = two_records();
  other.records.pop_back();
  EXPECT_TRUE(with_recorded(once, other).starts_with(kOwn));
  EXPECT_EQ(with_recorded(with_recorded(once, other), two_records()), once);
  EXPECT_TRUE(with_recorded("a = 1", other).starts_with("a = 1\n#")) << "a last line without end";
}

TEST(GateRecord, IsRefusedWhereItIsMissingTornEditedOrOfAnotherVersion) {
  const std::string text = with_recorded(kOwn, two_records());
  EXPECT_EQ(torn_words(text), "");
  EXPECT_THAT(torn_words(kOwn), AllOf(HasSubstr("nothing is recorded"), HasSubstr("--update")));
  // Wherever the file ends, below the mark: never taken for a whole one.
  const std::size_t mark = own_part(text).size();
  for (std::size_t end = text.find('\n', mark); end < text.size() - 1; ++end)
    ASSERT_NE(torn_words(text.substr(0, end)), "") << "cut at " << end;
  std::string edited = text;
  edited.replace(edited.find("registers = 12"), 14, "registers = 99");
  EXPECT_THAT(torn_words(edited), AllOf(HasSubstr("torn or was edited"), HasSubstr("--update")));
  std::string merged = text;
  merged.insert(merged.find("\n[[sm_90]]"), "\n<<<<<<< ours");
  EXPECT_THAT(torn_words(merged), HasSubstr("torn or was edited"));
  std::string newer = text;
  newer.replace(newer.find("version = 1"), 11, "version = 2");
  EXPECT_THAT(torn_words(newer), AllOf(HasSubstr("of version 2"), HasSubstr("--update")));
}

TEST(GateRecord, OfHundredsOfKernelsAreReadAgain) {
  GateRecords all;
  all.toolkit = "13.0";
  constexpr int kKernels = 400, kLines = 30;
  for (int kernel = 0; kernel < kKernels; ++kernel) {
    GateRecord& record = all.records.emplace_back();
    record.kernel = "kernel " + std::to_string(kernel);
    record.counts = {{"instructions", kernel}};
    for (int line = 0; line < kLines; ++line)
      record.lines.push_back(
          {"k.cu", "a line with\n[[sm_90]] in it", 0, {{"instructions", line + 1}}});
  }
  const std::string text = with_recorded("", all);
  EXPECT_GT(text.size(), 256u << 10) << "more than a description may have";
  const Result<GateRecords> again = parse_recorded(text, "gate.toml");
  ASSERT_TRUE(again) << sentence(again.error());
  ASSERT_EQ(again->records.size(), static_cast<std::size_t>(kKernels));
  EXPECT_EQ(again->records.back().lines.size(), static_cast<std::size_t>(kLines));
  EXPECT_EQ(with_recorded("", *again), text);
}

TEST(GateFile, OfAllScenesNamesEachOfThem) {
  std::ifstream stream(source_folder() / "tests" / "profiling" / "gate" / "all_scenes.toml");
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  const Result<GateFile> file = parse_gate_file(text, "all_scenes.toml");
  ASSERT_TRUE(file) << sentence(file.error());
  for (const Scene& scene : built_in_scenes()) {
    EXPECT_TRUE(std::any_of(file->kernels.begin(), file->kernels.end(),
                            [&](const GateKernel& kernel) {
                              return kernel.scene.substr(0, kernel.scene.find('/')) == scene.name;
                            }))
        << scene.name;
  }
}

}  // namespace
}  // namespace warpscope
