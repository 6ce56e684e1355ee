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
constexpr int kRepetitions = 3;

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

  // The hand-placed marks of the last of a few launches.
  std::vector<std::byte> marks_of(const std::string& marked, std::int64_t& blocks, int& warps) {
    if (!device_) {
      Result<std::unique_ptr<Device>> device = Device::open(0);
      EXPECT_TRUE(device);
      if (!device) return {};
      device_ = std::move(*device);
      kernels_ = std::make_unique<KernelStore>(*device_);
      kernels_->use(sources_among(text_.sources));
      stage_ = std::make_unique<Stage>(*device_, *kernels_);
    }
    const Variant* variant = find_variant(*scene_, marked);
    const Result<void> set = stage_->set(*scene_, default_configuration(scene_->axes));
    EXPECT_TRUE(set) << sentence(set.error());
    Result<Stage::Bound> bound = stage_->bind(*variant);
    EXPECT_TRUE(bound) << sentence(bound.error());
    if (!set || !bound) return {};
    const Launch& launch = std::get<KernelLaunch>(bound->run.front().step().action).launch;
    blocks = launch.grid.x;
    warps = static_cast<int>(launch.block.x / 32);
    // Until the clock is as high as while probes record.
    const auto start = std::chrono::steady_clock::now();
    constexpr double kWarmUpMs = 150;
    while (milliseconds_since(start) < kWarmUpMs) {
      for (int k = 0; k < 20; ++k) EXPECT_TRUE(bound->submit(device_->stream()));
      EXPECT_TRUE(device_->synchronise("marks"));
    }
    Result<std::vector<std::byte>> bytes = stage_->bytes_of(*bound, "marks");
    EXPECT_TRUE(bytes) << sentence(bytes.error());
    return bytes ? std::move(*bytes) : std::vector<std::byte>{};
  }

  int compare(const std::string& kernel, const std::vector<MarkedSpan>& spans, double& slowdown);

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

// One kernel, with the usual probes, and with those of one kind where they leave a span out.
// How many of the spans are as long as by their marks.
int GpuWarps::compare(const std::string& kernel, const std::vector<MarkedSpan>& spans,
                      double& slowdown) {
  std::vector<std::vector<double>> ours(spans.size()), marks(spans.size());
  for (int repeat = 0; repeat < kRepetitions; ++repeat) {
    const std::optional<WarpTimeline> usual = record(kernel, {});
    if (!usual) return 0;
    EXPECT_EQ(roles_of(*usual).specialised, spans.front().specialised);
    slowdown = usual->slowdown_ratio();
    std::optional<WarpTimeline> other;
    for (const MarkedSpan& span : spans) {
      if (!other && is_dropped(*usual, span)) other = record(kernel, probes_for(span));
    }
    std::int64_t blocks = 0;
    int warps = 0;
    const std::vector<std::byte> marked = marks_of(kernel + "_marked", blocks, warps);
    for (std::size_t k = 0; k < spans.size(); ++k) {
      const bool dropped = is_dropped(*usual, spans[k]) && other.has_value();
      const SpanCycles own = recorded_cycles(dropped ? *other : *usual, spans[k]);
      const double hand = marked_cycles(marked, warps, blocks, spans[k]);
      ours[k].push_back(own.cycles);
      marks[k].push_back(hand);
      std::printf("SPAN %s %s %s %s: marks %.0f, probes %.0f cycles in %.1f passes%s\n",
                  kernel.c_str(), spans[k].kind.c_str(), spans[k].line.c_str(),
                  warp_list(spans[k].warps).c_str(), hand, own.cycles, own.passes,
                  dropped ? ", apart" : "");
    }
    if (repeat == 0) std::printf("%s", warps_text(*usual).c_str());
  }
  int within = 0;
  for (std::size_t k = 0; k < spans.size(); ++k) {
    const double own = middle(ours[k]), hand = middle(marks[k]);
    const double off = hand > 0 ? own / hand - 1 : 1;
    std::printf("MARK %-18s %-6s %-28s marks %9.0f probes %9.0f cycles per warp, %+.1f %%\n",
                kernel.c_str(), spans[k].kind.c_str(), spans[k].line.c_str(), hand, own, 100 * off);
    EXPECT_GT(own, 0);
    within += std::abs(off) <= kAllowedDifference ? 1 : 0;
  }
  return within;
}

TEST_F(GpuWarps, SpansAreThoseOfHandPlacedMarks) {
  std::map<std::string, std::vector<MarkedSpan>> by_kernel;
  for (MarkedSpan& span : marked_spans()) by_kernel[span.kernel].push_back(span);
  int within = 0, fast = 0;
  for (const auto& [kernel, spans] : by_kernel) {
    SCOPED_TRACE(kernel);
    double slowdown = 1;
    within += compare(kernel, spans, slowdown);
    std::printf("SLOW %-18s %+.1f %%\n", kernel.c_str(), 100 * slowdown);
    fast += slowdown <= kMostProbeSlowdown ? 1 : 0;
  }
  // An H200 gave 18 and 19 of 28: the marks disturb what they measure as well. The goal is all.
  EXPECT_GE(within, 17);
  EXPECT_GE(fast, 9);
}

}  // namespace
}  // namespace warpscope
