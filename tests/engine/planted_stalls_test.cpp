// tests/engine/planted_stalls_test.cpp: kernels that wait for one known cause each, and whether it
// is found: modelled without a device, sampled on one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "profiling/engine/compile/disassembly.h"
#include "profiling/engine/measure/measurer.h"
#include "profiling/engine/run/emulation.h"
#include "profiling/figures/csv_text.h"
#include "profiling/stalls/stall_report.h"
#include "scenes/catalogue.h"
#include "scenes/read_folder.h"
#include "tests/engine/gpu_fixture.h"
#include "tests/folders.h"

namespace warpscope {
namespace {

using testing::Contains;
using testing::HasSubstr;

// A row of planted.csv, which was written before the analysis saw the kernels.
struct Planted {
  std::string folder, variant;
  std::vector<std::string> causes, lines;  // any of them
  std::string reasons, words;
  // device: without one the line is found, and not the cause. gpu: it takes long to compile, and is
  // left out without one.
  std::string needs;
};

// Ours, and ten of an author who did not know the analysis.
constexpr const char* kFolders[] = {"planted_stalls", "planted_by_others"};

std::filesystem::path planted_folder(const std::string& folder) {
  return source_folder() / "tests" / "engine" / folder;
}

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string> parts_of(const std::string& alternatives) {
  std::vector<std::string> parts;
  std::istringstream text(alternatives);
  for (std::string part; std::getline(text, part, '|');) parts.push_back(part);
  return parts;
}

std::vector<Planted> planted_stalls(const std::string& folder) {
  std::vector<Planted> all;
  const auto rows = parse_csv(text_of(planted_folder(folder) / "planted.csv"));
  if (!rows) return all;
  for (std::size_t k = 1; k < rows->size(); ++k) {
    const std::vector<std::string>& row = (*rows)[k];
    all.push_back({folder, row.at(0), parts_of(row.at(1)), parts_of(row.at(2)), row.at(3),
                   row.at(4), row.at(5)});
  }
  return all;
}
std::vector<Planted> planted_stalls() {
  std::vector<Planted> all;
  for (const char* folder : kFolders) {
    for (Planted& planted : planted_stalls(folder)) all.push_back(std::move(planted));
  }
  return all;
}
// Those that are found without a device.
std::vector<Planted> modelled_stalls() {
  std::vector<Planted> all = planted_stalls();
  std::erase_if(all, [](const Planted& planted) { return planted.needs == "gpu"; });
  return all;
}

void PrintTo(const Planted& planted, std::ostream* out) { *out << planted.variant; }

// The numbers of the lines that have these words.
std::vector<int> lines_of(const Planted& planted) {
  std::vector<int> numbers;
  for (const std::string& words : planted.lines) {
    std::istringstream text(text_of(planted_folder(planted.folder) / (planted.variant + ".cu")));
    int number = 0;
    bool found = false;
    for (std::string line; std::getline(text, line);) {
      ++number;
      if (line.find(words) == std::string::npos) continue;
      numbers.push_back(number);
      found = true;
    }
    EXPECT_TRUE(found) << planted.variant << " has no line with " << words;
  }
  return numbers;
}

Result<SceneText> planted_text(const std::string& folder) {
  return read_scene_folder(planted_folder(folder));
}

Job job_of(const SceneText& text, const std::string& variant, const std::string& elements) {
  Job job;
  job.job = 1;
  job.scene = text.name;
  job.scene_text = text.hash;
  job.sources = text.sources;
  job.variant = variant;
  job.axes = {{"n", elements}};
  return job;
}

JobWork trace_work() {
  TraceJob asked;
  asked.grid = false;
  asked.sample_instructions = 1;  // the kept block alone is enough for averages
  asked.code = TracedCode::machine_code;
  asked.dependencies = true;
  return asked;
}

Result<Trace> trace_of(Catalogue& catalogue, const SceneText& text, const std::string& variant,
                       const std::string& elements) {
  const Result<const Scene*> scene = catalogue.open_text(text);
  if (!scene) return tl::unexpected(scene.error());
  Emulation emulation(catalogue);
  Job job = job_of(text, variant, elements);
  job.work = trace_work();
  std::vector<Trace> traces;
  JobChannel channel;
  channel.interrupted = [] { return false; };
  channel.send = [&](Message message) {
    if (auto* trace = std::get_if<Trace>(&message)) traces.push_back(std::move(*trace));
  };
  const Result<void> done = emulation.run(job, channel);
  if (!done) return tl::unexpected(done.error());
  if (traces.empty()) return failure(ErrorKind::internal, "no trace came", variant);
  return std::move(traces.front());
}

class PlantedStalls : public testing::TestWithParam<Planted> {
 protected:
  void SetUp() override {
    if (const Result<std::string> version = nvrtc_version(); !version)
      GTEST_SKIP() << sentence(version.error());
    if (const Result<std::string> program = find_disassembler(); !program)
      GTEST_SKIP() << sentence(program.error());
  }
};

TEST_P(PlantedStalls, AreFoundInTheModelledRunWhereAModelKnowsThem) {
  const Planted& planted = GetParam();
  const Result<SceneText> text = planted_text(planted.folder);
  ASSERT_TRUE(text) << sentence(text.error());
  Catalogue catalogue;
  const Result<Trace> trace = trace_of(catalogue, *text, planted.variant, "65536");
  ASSERT_TRUE(trace) << sentence(trace.error());
  EXPECT_TRUE(trace->faults.empty()) << trace->faults.front().sentence;
  const Result<StallReport> report = stall_report({*trace});
  ASSERT_TRUE(report) << sentence(report.error());
  if (planted.lines.empty()) return;  // the launch is the cause
  const std::vector<int> lines = lines_of(planted);
  if (planted.needs == "device") {
    EXPECT_TRUE(std::any_of(report->lines.begin(), report->lines.end(), [&](const StallLine& of) {
      return std::count(lines.begin(), lines.end(), of.position.line) > 0;
    }));
    return;
  }
  ASSERT_FALSE(report->findings.empty());
  const StallFinding& first = report->findings.front();
  SCOPED_TRACE(first.sentence);
  EXPECT_THAT(lines, Contains(first.cause_line.line));
  EXPECT_THAT(planted.causes, Contains(row_of(first.cause).id));
  EXPECT_THAT(first.sentence, HasSubstr(planted.words));
}

INSTANTIATE_TEST_SUITE_P(Kernels, PlantedStalls, testing::ValuesIn(modelled_stalls()),
                         [](const auto& info) { return info.param.variant; });

// The load's address comes from the load before it, which an instruction between them has waited
// for already.
TEST(PlantedCauses, OfAWalkAreFoundInTheModelledRun) {
  if (!nvrtc_version() || !find_disassembler()) GTEST_SKIP() << "no compiler or no disassembler";
  const Result<SceneText> text = planted_text("planted_by_others");
  ASSERT_TRUE(text) << sentence(text.error());
  Catalogue catalogue;
  const Result<Trace> trace = trace_of(catalogue, *text, "graph_walk", "65536");
  ASSERT_TRUE(trace) << sentence(trace.error());
  const Result<StallReport> report = stall_report({*trace});
  ASSERT_TRUE(report) << sentence(report.error());
  ASSERT_FALSE(report->findings.empty());
  const StallFinding& first = report->findings.front();
  EXPECT_EQ(first.cause, StallCause::memory_latency) << first.sentence;
  EXPECT_THAT(first.sentence, HasSubstr("needs the value of the load before it"));
}

TEST(PlantedCauses, AreAtLeastSixteenAndKnownToTheAnalysis) {
  EXPECT_GE(planted_stalls().size(), 26u);
  for (const Planted& planted : planted_stalls()) {
    for (const std::string& cause : planted.causes) {
      EXPECT_TRUE(std::any_of(stall_causes().begin(), stall_causes().end(),
                              [&](const StallCauseRow& row) { return row.id == cause; }))
          << cause;
    }
    static_cast<void>(lines_of(planted));
  }
}

// Whose cause is named on an H200, and whose line or reason is not that of planted.csv, which was
// written before.
const char* known_difference(const std::string& variant) {
  if (variant == "divergent_loop") return ": the loop's own line has the samples, not its body";
  if (variant == "division") return ": the queue of the special functions holds it up, too";
  return nullptr;
}

class GpuPlantedStalls : public RangesReachCupti {
 protected:
  // All variants of a folder, in one engine of this kind.
  static void measure(Measurer& measurer, const SceneText& text, const std::string& folder,
                      const std::string& counters, std::vector<Measurement>& points) {
    for (const Planted& planted : planted_stalls(folder)) {
      Job job = job_of(text, planted.variant, "67108864");
      job.work = MeasureJob{.counters = counters, .time = false};
      JobChannel channel;
      channel.interrupted = [] { return false; };
      channel.send = [&](Message message) {
        if (auto* m = std::get_if<Measurement>(&message)) points.push_back(std::move(*m));
      };
      const Result<void> done = measurer.run(job, channel);
      EXPECT_TRUE(done) << planted.variant << ": " << sentence(done.error());
    }
  }

  static void expect_named(const Planted& planted, const Trace& trace, const Measurement& sampled,
                           const Measurement& counted) {
    SCOPED_TRACE(planted.variant);
    Measurement point = sampled;
    point.metrics = counted.metrics;
    const auto own =
        std::find_if(point.steps.begin(), point.steps.end(),
                     [&](const StepRecord& step) { return step.entry == planted.variant; });
    ASSERT_NE(own, point.steps.end()) << point.verdict.sentence;
    StepRecord& step = *own;
    const Result<StallReport> report = stall_report({trace, &step.samples, &point, &step});
    ASSERT_TRUE(report) << sentence(report.error());
    ASSERT_FALSE(report->findings.empty());
    const StallFinding& first = report->findings.front();
    SCOPED_TRACE(first.sentence);
    EXPECT_THAT(first.sentence, HasSubstr(planted.words));
    const std::vector<int> lines = lines_of(planted);
    EXPECT_THAT(planted.causes, Contains(row_of(first.cause).id));
    const char* const differs = known_difference(planted.variant);
    const bool alike =
        (" " + planted.reasons + " ").find(" " + first.reason + " ") != std::string::npos &&
        (lines.empty() || std::count(lines.begin(), lines.end(), first.cause_line.line) > 0);
    EXPECT_EQ(alike, differs == nullptr)
        << first.reason << " in line " << first.cause_line.line << ", not as planted.csv says"
        << (differs == nullptr ? "" : differs);
  }
};

// Samples first: after counters a process gets none.
class GpuPlantedFolder : public GpuPlantedStalls,
                         public testing::WithParamInterface<const char*> {};

TEST_P(GpuPlantedFolder, HasEachCauseNamed) {
  if (!load_cuda_driver()) GTEST_SKIP() << "this machine has no driver";
  const std::string folder = GetParam();
  const Result<SceneText> text = planted_text(folder);
  ASSERT_TRUE(text) << sentence(text.error());
  Catalogue catalogue;
  ASSERT_TRUE(catalogue.open_text(*text));
  std::vector<Measurement> sampled, counted;
  {
    const auto measurer = Measurer::create(0, ProfilerUse::samples, catalogue);
    if (!measurer) GTEST_SKIP() << sentence(measurer.error());
    measure(**measurer, *text, folder, "samples", sampled);
  }
  const auto measurer = Measurer::create(0, ProfilerUse::counters, catalogue);
  ASSERT_TRUE(measurer) << sentence(measurer.error());
  measure(**measurer, *text, folder, kStallLevelCounters, counted);
  const std::vector<Planted> all = planted_stalls(folder);
  ASSERT_EQ(sampled.size(), all.size());
  ASSERT_EQ(counted.size(), sampled.size());
  for (std::size_t k = 0; k < sampled.size(); ++k) {
    const Result<Trace> trace = trace_of(catalogue, *text, all[k].variant, "67108864");
    ASSERT_TRUE(trace) << sentence(trace.error());
    expect_named(all[k], *trace, sampled[k], counted[k]);
  }
}

INSTANTIATE_TEST_SUITE_P(GpuFolders, GpuPlantedFolder, testing::ValuesIn(kFolders),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace warpscope
