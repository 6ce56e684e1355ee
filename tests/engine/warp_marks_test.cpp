// tests/engine/warp_marks_test.cpp: spans of warps that probes record, beside hand-placed marks in
// the same kernels.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "profiling/engine/measure/measurer.h"
#include "profiling/engine/run/stage.h"
#include "profiling/figures/csv_text.h"
#include "profiling/warps/warp_export.h"
#include "scenes/catalogue.h"
#include "scenes/host/clock.h"
#include "scenes/read_folder.h"
#include "tests/folders.h"

namespace warpscope {
namespace {

constexpr double kAllowedDifference = 0.05;
constexpr int kRepetitions = 5;

// A row of marks.csv, which was written before there were probes.
struct MarkedSpan {
  std::string kernel;
  bool specialised = false;
  int mark = 0;  // the number that the kernel gives to marks.end()
  std::vector<int> warps;
  std::string kind, line, what;
};

std::filesystem::path marks_folder() { return source_folder() / "tests" / "engine" / "warp_marks"; }

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<MarkedSpan> marked_spans() {
  std::vector<MarkedSpan> all;
  const auto rows = parse_csv(text_of(marks_folder() / "marks.csv"));
  if (!rows) return all;
  for (std::size_t k = 1; k < rows->size(); ++k) {
    const std::vector<std::string>& row = (*rows)[k];
    MarkedSpan span{row.at(0), row.at(1) == "yes", std::stoi(row.at(2)), {}, row.at(4),
                    row.at(5), row.at(6)};
    const std::string& warps = row.at(3);
    const std::size_t dash = warps.find('-');
    const int first = std::stoi(warps);
    const int last = dash == std::string::npos ? first : std::stoi(warps.substr(dash + 1));
    for (int w = first; w <= last; ++w) span.warps.push_back(w);
    all.push_back(std::move(span));
  }
  return all;
}

int line_of(const MarkedSpan& span) {
  std::ifstream file(marks_folder() / (span.kernel + ".cu"));
  int number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    if (line.find(span.line) != std::string::npos) return number;
  }
  return 0;
}

TEST(WarpMarks, AreOfTwelveKernelsHalfOfThemSpecialised) {
  std::map<std::string, bool> kernels;
  for (const MarkedSpan& span : marked_spans()) {
    kernels[span.kernel] = span.specialised;
    EXPECT_GT(line_of(span), 0) << span.kernel << " has no line with " << span.line;
  }
  int specialised = 0;
  for (const auto& [kernel, of] : kernels) specialised += of ? 1 : 0;
  EXPECT_EQ(kernels.size(), 12u);
  EXPECT_EQ(specialised, 6);
}

// A span in all its passes: the mean over its warps.
struct SpanCycles {
  double cycles = 0, passes = 0;
};
SpanCycles recorded_cycles(const WarpTimeline& timeline, const MarkedSpan& marked) {
  const int line = line_of(marked);
  SpanCycles all;
  double warps = 0;
  for (const WarpRow& row : timeline.rows) {
    if (std::find(marked.warps.begin(), marked.warps.end(), row.warp) == marked.warps.end())
      continue;
    ++warps;
    for (const WarpSpan& span : spans_of(timeline, row)) {
      if (to_text(span.type) != marked.kind || span.span < 0) continue;
      if (timeline.spans[static_cast<std::size_t>(span.span)].position.line != line) continue;
      all.cycles += static_cast<double>(span.cycles());
      ++all.passes;
    }
  }
  if (warps == 0) return {};
  return {all.cycles / warps, all.passes / warps};
}

double marked_cycles(const std::vector<std::byte>& marks, int warps_per_block, std::int64_t blocks,
                     const MarkedSpan& marked) {
  double cycles = 0, warps = 0;
  for (std::int64_t block = 0; block < blocks; ++block) {
    for (const int warp : marked.warps) {
      std::int64_t value = 0;
      const std::int64_t at = (block * warps_per_block + warp) * 4 + marked.mark;
      std::memcpy(&value, marks.data() + at * 8, 8);
      cycles += static_cast<double>(value);
      ++warps;
    }
  }
  return cycles / warps;
}

// Which marks a kernel has.
struct MarkedBuild {
  int span = 3;  // 3: all at once
  const char* clock_bits = "64";
};

double middle(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values.empty() ? 0 : values[values.size() / 2];
}

class GpuWarps : public testing::Test {
 protected:
  void SetUp() override {
    if (!load_cuda_driver()) GTEST_SKIP() << "this machine has no driver";
    Result<SceneText> text = read_scene_folder(marks_folder());
    ASSERT_TRUE(text) << sentence(text.error());
    text_ = std::move(*text);
    const Result<const Scene*> scene = catalogue_.open_text(text_);
    ASSERT_TRUE(scene) << sentence(scene.error());
    scene_ = *scene;
    auto measurer = Measurer::create(0, ProfilerUse::none, catalogue_);
    if (!measurer) GTEST_SKIP() << sentence(measurer.error());
    measurer_ = std::move(*measurer);
  }

  std::optional<WarpTimeline> record(const std::string& kernel, const WarpsJob& asked) {
    Job job;
    job.job = 1;
    job.scene = text_.name;
    job.scene_text = text_.hash;
    job.sources = text_.sources;
    job.variant = kernel;
    job.work = asked;
    std::optional<WarpTimeline> found;
    JobChannel channel;
    channel.interrupted = [] { return false; };
    channel.send = [&](Message message) {
      if (auto* t = std::get_if<WarpTimeline>(&message)) found = std::move(*t);
      if (const auto* m = std::get_if<Measurement>(&message))
        ADD_FAILURE() << kernel << ": " << m->verdict.sentence;
    };
    const Result<void> done = measurer_->run(job, channel);
    EXPECT_TRUE(done) << kernel << ": " << sentence(done.error());
    return found;
  }

  std::optional<Stage::Bound> bound(const std::string& variant, const MarkedBuild& build) {
    if (!device_) {
      Result<std::unique_ptr<Device>> device = Device::open(0);
      EXPECT_TRUE(device);
      if (!device) return std::nullopt;
      device_ = std::move(*device);
      kernels_ = std::make_unique<KernelStore>(*device_);
      kernels_->use(sources_among(text_.sources));
      stage_ = std::make_unique<Stage>(*device_, *kernels_);
    }
    Configuration axes = default_configuration(scene_->axes);
    axes.set("span", std::int64_t{build.span});
    axes.set("clock_bits", std::string(build.clock_bits));
    const Result<void> set = stage_->set(*scene_, axes);
    EXPECT_TRUE(set) << sentence(set.error());
    Result<Stage::Bound> found = stage_->bind(*find_variant(*scene_, variant));
    EXPECT_TRUE(found) << sentence(found.error());
    if (!set || !found) return std::nullopt;
    return std::move(*found);
  }

  // The time of a launch among many, and that the clock is as high as while probes record.
  double launch_us(const Stage::Bound& of) {
    constexpr int kLaunches = 2000;
    for (int k = 0; k < kLaunches; ++k) EXPECT_TRUE(of.submit(device_->stream()));
    EXPECT_TRUE(device_->synchronise("marks"));
    const auto start = std::chrono::steady_clock::now();
    for (int k = 0; k < kLaunches; ++k) EXPECT_TRUE(of.submit(device_->stream()));
    EXPECT_TRUE(device_->synchronise("marks"));
    return milliseconds_since(start) * 1000 / kLaunches;
  }

  // By span, the cycles that its hand-placed marks add up: the median of a few launches. As where
  // probes record, each launch finds an idle device that ran the same kernel before.
  std::vector<double> marks_of(const std::string& kernel, const std::vector<MarkedSpan>& spans,
                               const MarkedBuild& build, double& us) {
    const std::optional<Stage::Bound> of = bound(kernel + "_marked", build);
    if (!of) return std::vector<double>(spans.size());
    us = launch_us(*of);
    const Launch& launch = std::get<KernelLaunch>(of->run.front().step().action).launch;
    std::vector<std::vector<double>> all(spans.size());
    constexpr int kLaunches = 9;
    for (int k = 0; k < kLaunches; ++k) {
      for (int times = 0; times < 2; ++times) {
        EXPECT_TRUE(of->submit(device_->stream()));
        EXPECT_TRUE(device_->synchronise("marks"));
      }
      Result<std::vector<std::byte>> bytes = stage_->bytes_of(*of, "marks");
      EXPECT_TRUE(bytes) << sentence(bytes.error());
      if (!bytes) break;
      for (std::size_t s = 0; s < spans.size(); ++s)
        all[s].push_back(
            marked_cycles(*bytes, static_cast<int>(launch.block.x / 32), launch.grid.x, spans[s]));
    }
    std::vector<double> medians;
    for (std::vector<double>& values : all) medians.push_back(middle(std::move(values)));
    return medians;
  }

  // The marks of each span alone, and of all at once.
  struct HandMarks {
    std::vector<double> alone, at_once;
  };
  HandMarks hand_marks(const std::string& kernel, const std::vector<MarkedSpan>& spans);
  struct Compared {
    int within = 0;       // spans that are as long as by their marks alone …
    int at_once = 0;      // … as by all marks at once
    int marks_agree = 0;  // spans whose two marks agree
    double slowdown = 1;  // of the usual probes
  };
  Compared compare(const std::string& kernel, const std::vector<MarkedSpan>& spans);

  SceneText text_;
  Catalogue catalogue_;
  const Scene* scene_ = nullptr;
  std::unique_ptr<Measurer> measurer_;
  std::unique_ptr<Device> device_;
  std::unique_ptr<KernelStore> kernels_;
  std::unique_ptr<Stage> stage_;
};

// Whether the usual probes leave the span out.
bool is_dropped(const WarpTimeline& timeline, const MarkedSpan& marked) {
  const int line = line_of(marked);
  return std::any_of(timeline.spans.begin(), timeline.spans.end(), [&](const ProbedSpan& span) {
    const bool kind = marked.kind == "loop" ? span.kind == SpanKind::loop : is_wait(span.kind);
    return kind && span.dropped && span.position.line == line;
  });
}

// Probes at places of one kind, however slow they make the kernel.
WarpsJob probes_for(const MarkedSpan& marked) {
  WarpsJob asked;
  asked.all = true;
  asked.loops = marked.kind == "loop";
  asked.waits = asked.barriers = !asked.loops;
  return asked;
}

GpuWarps::HandMarks GpuWarps::hand_marks(const std::string& kernel,
                                         const std::vector<MarkedSpan>& spans) {
  HandMarks marks;
  const std::optional<Stage::Bound> plain = bound(kernel, {});
  if (!plain) return marks;
  const double plain_us = launch_us(*plain);
  double us = 0;
  marks.at_once = marks_of(kernel, spans, {3, "32"}, us);
  std::printf("MARKED %-18s all at once %+.1f %% slower", kernel.c_str(),
              100 * (us / plain_us - 1));
  marks.alone.resize(spans.size());
  std::set<int> numbers;
  for (const MarkedSpan& span : spans) numbers.insert(span.mark);
  for (const int number : numbers) {
    const std::vector<double> cycles = marks_of(kernel, spans, {number, "64"}, us);
    std::printf(", %d alone %+.1f %%", number, 100 * (us / plain_us - 1));
    for (std::size_t k = 0; k < spans.size(); ++k) {
      if (spans[k].mark == number) marks.alone[k] = cycles[k];
    }
  }
  std::printf("\n");
  return marks;
}

double off(double own, double hand) { return hand > 0 ? own / hand - 1 : 1; }

// One kernel, with the usual probes, and with those of one kind where they leave a span out.
GpuWarps::Compared GpuWarps::compare(const std::string& kernel,
                                     const std::vector<MarkedSpan>& spans) {
  Compared found;
  std::vector<std::vector<double>> ours(spans.size());
  for (int repeat = 0; repeat < kRepetitions; ++repeat) {
    const std::optional<WarpTimeline> usual = record(kernel, {});
    if (!usual) return found;
    EXPECT_EQ(roles_of(*usual).specialised, spans.front().specialised);
    found.slowdown = usual->slowdown_ratio();
    std::optional<WarpTimeline> other;
    for (std::size_t k = 0; k < spans.size(); ++k) {
      if (!other && is_dropped(*usual, spans[k])) other = record(kernel, probes_for(spans[k]));
      const bool dropped = is_dropped(*usual, spans[k]) && other.has_value();
      const SpanCycles own = recorded_cycles(dropped ? *other : *usual, spans[k]);
      ours[k].push_back(own.cycles);
      std::printf("SPAN %s %s %s %s: probes %.0f cycles in %.1f passes%s\n", kernel.c_str(),
                  spans[k].kind.c_str(), spans[k].line.c_str(), warp_list(spans[k].warps).c_str(),
                  own.cycles, own.passes, dropped ? ", apart" : "");
    }
    if (repeat == 0) std::printf("%s", warps_text(*usual).c_str());
  }
  const HandMarks marks = hand_marks(kernel, spans);
  for (std::size_t k = 0; k < spans.size() && !marks.alone.empty(); ++k) {
    const double own = middle(ours[k]), alone = marks.alone[k], at_once = marks.at_once[k];
    std::printf("MARK %-18s %-6s %-28s alone %9.0f at once %9.0f %+.1f %% probes %9.0f %+.1f %%\n",
                kernel.c_str(), spans[k].kind.c_str(), spans[k].line.c_str(), alone, at_once,
                100 * off(at_once, alone), own, 100 * off(own, alone));
    EXPECT_GT(own, 0);
    found.within += std::abs(off(own, alone)) <= kAllowedDifference ? 1 : 0;
    found.at_once += std::abs(off(own, at_once)) <= kAllowedDifference ? 1 : 0;
    found.marks_agree += std::abs(off(at_once, alone)) <= kAllowedDifference ? 1 : 0;
  }
  return found;
}

// Marks disturb what they measure as well: those of one span alone are the reference, because they
// slow a kernel down less than all at once. How far both are apart is printed beside it.
TEST_F(GpuWarps, SpansAreThoseOfHandPlacedMarks) {
  std::map<std::string, std::vector<MarkedSpan>> by_kernel;
  for (MarkedSpan& span : marked_spans()) by_kernel[span.kernel].push_back(span);
  int within = 0, at_once = 0, marks_agree = 0, whole = 0, fast = 0;
  for (const auto& [kernel, spans] : by_kernel) {
    SCOPED_TRACE(kernel);
    const Compared found = compare(kernel, spans);
    std::printf("SLOW %-18s %+.1f %%\n", kernel.c_str(), 100 * found.slowdown);
    within += found.within;
    at_once += found.at_once;
    marks_agree += found.marks_agree;
    whole += found.within == static_cast<int>(spans.size()) ? 1 : 0;
    fast += found.slowdown <= kMostProbeSlowdown ? 1 : 0;
  }
  std::printf(
      "WITHIN 5 %%: %d of 28 spans (%d of 12 kernels whole) beside marks alone, %d beside all "
      "marks "
      "at once; marks beside marks %d of 28\n",
      within, whole, at_once, marks_agree);
  // The goal is all.
  EXPECT_GE(within, 17);
  EXPECT_GE(fast, 9);
}

}  // namespace
}  // namespace warpscope
