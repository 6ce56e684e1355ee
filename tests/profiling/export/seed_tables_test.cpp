// tests/profiling/export/seed_tables_test.cpp: the tables that an article left empty are filled, or
// say why not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <regex>
#include <set>
#include <string>

#include "profiling/claims/article.h"
#include "profiling/export/export.h"
#include "profiling/export/report_tables.h"
#include "profiling/points/outcome_messages.h"
#include "scenes/catalogue.h"

namespace warpscope {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

using Texts = std::map<std::string, std::string>;

const Scene& scene() { return *built_in_catalogue().find("autoencoder").value(); }

// A device that does not exist, with what a test measures on it.
class HandMade {
 public:
  void measure(const std::string& variant, const Texts& changes, double warm_ns,
               const std::map<std::string, double>& metrics = {},
               const std::vector<StepRecord>& steps = {}) {
    Measurement m;
    m.scene = "autoencoder";
    m.variant = variant;
    m.axes = for_variant(scene().axes,
                         *with_values(scene().axes, default_configuration(scene().axes), changes),
                         variant);
    m.key = configuration_key(scene().axes, m.axes, variant);
    m.problem = problem_key(scene().axes, m.axes);
    m.verdict.outcome = Outcome::correct;
    m.warm = Timing{};
    m.warm->cache = CacheState::warm;
    for (int i = -10; i <= 10; ++i) m.warm->samples_ns.push_back(warm_ns * (1 + 1e-4 * i));
    summarise(*m.warm);
    m.metrics = {{"time.warm", warm_ns, Origin::measured, "", ""}};
    for (const auto& [id, value] : metrics)
      m.metrics.push_back({id, value, Origin::measured, "", ""});
    m.steps = steps;
    m.conditions.device = "a device";
    m.conditions.device_uuid = "GPU-1";
    m.conditions.toolkit = "13.0";
    session.apply(m);
  }
  Session session;
};

StepRecord step(const std::string& layer, const std::string& phase, const std::string& entry,
                double time_ns) {
  StepRecord record;
  record.name = layer + " " + entry;
  record.kind = "kernel";
  record.entry = entry;
  record.tags = {{"layer", layer}, {"phase", phase}};
  record.time_ns = time_ns;
  return record;
}

std::vector<FilledTable> tables_of(const Session& session) {
  return filled_tables({&scene(), &session});
}

// The cell of a table that `title` begins, by the titles of its row and its column.
std::string cell(const Session& session, const std::string& title, const std::string& row,
                 const std::string& column) {
  for (const FilledTable& table : tables_of(session)) {
    if (!table.title.starts_with(title)) continue;
    const auto at = std::find(table.header.begin(), table.header.end(), column);
    for (const auto& cells : table.rows) {
      if (cells.front() == row && at != table.header.end())
        return cells.at(static_cast<std::size_t>(at - table.header.begin()));
    }
  }
  ADD_FAILURE() << "there is no cell " << row << " / " << column << " in " << title;
  return "";
}

const char* const kTraffic = "Memory traffic of Conv1";
const char* const kTimes = "Kernel time of a forward pass";

TEST(SeedTables, OfASessionWithNothingHaveAReasonInEveryCellAndEveryCommandRuns) {
  const Session nothing;
  const std::regex command("not measured: `warpscope measure autoencoder/(\\w+)([^`]*)`");
  std::set<std::string> variants;
  ASSERT_EQ(tables_of(nothing).size(), 14u);
  for (const FilledTable& table : tables_of(nothing)) {
    EXPECT_FALSE(table.title.empty() || table.note.empty());
    for (const auto& row : table.rows) {
      ASSERT_EQ(row.size(), table.header.size()) << table.title;
      for (const std::string& text : row) {
        EXPECT_FALSE(text.empty()) << table.title << ", " << row.front();
        EXPECT_THAT(text, Not(HasSubstr("{"))) << table.title << ", " << row.front();
        for (std::sregex_iterator it(text.begin(), text.end(), command), end; it != end; ++it) {
          const std::string variant = (*it)[1];
          variants.insert(variant);
          Texts changes;
          const std::string words = (*it)[2];
          const std::regex setting("(\\w+)=(\\S+)");
          for (std::sregex_iterator each(words.begin(), words.end(), setting); each != end; ++each)
            changes[(*each)[1]] = (*each)[2];
          const Result<Configuration> axes = configured(scene(), variant, changes);
          ASSERT_TRUE(axes) << text;
          const Variant* row_of = find_variant(scene(), variant);
          EXPECT_TRUE(row_of != nullptr && applies(*row_of, *axes)) << text;
          EXPECT_EQ(unavailable(*row_of, {*axes, {}}, {}), std::nullopt) << text;
        }
      }
    }
  }
  EXPECT_GE(variants.size(), 18u);
  EXPECT_EQ(cell(nothing, kTimes, "Conv2", "Naive"),
            "modelled 19.07 ms · not measured: `warpscope measure autoencoder/naive_nhwc "
            "layer=Conv2`");
  EXPECT_EQ(cell(nothing, kTraffic, "Naive", "read"),
            "modelled 64.78 · not measured: `warpscope measure autoencoder/naive_nhwc "
            "--counters standard`");
}

// source: what the article says of its formula, and the sums of the arrays by hand, in MiB.
TEST(SeedTables, HaveTheSeedsPredictions) {
  const Session nothing;
  const auto begins = [&](const char* table, const char* row, const char* column,
                          const std::string& with) {
    EXPECT_THAT(cell(nothing, table, row, column), StartsWith(with)) << row << ", " << column;
  };
  begins(kTraffic, "the article's formula, convolution alone", "read", "0.78");
  begins(kTraffic, "the article's formula, convolution alone", "write", "64.00");
  begins(kTraffic, "the article's formula, convolution alone", "total", "64.78");
  begins(kTraffic, "Naive", "total", "modelled 192.78");
  begins(kTraffic, "Opt v1", "total", "modelled 64.78");
  begins(kTraffic, "Opt v2", "read", "modelled 71.53");
  begins(kTraffic, "Opt v2", "write", "modelled 134.75");
  begins(kTraffic, "Opt v2", "total", "modelled 206.28");
  const char* const workspace = "im2col workspace";
  for (const char* column : {"formula", "allocated"}) {
    begins(workspace, "Conv1", column, "6.75");
    begins(workspace, "Conv5", column, "576.00");
  }
  // By hand: 2·(64 + 8 + 2 + 16 + 0.75) of convolutions, 2·(16 + 2) of pools and 16 + 2 for their
  // places, 2·(8 + 64) of upsamplings; images in NHWC, or the columns of Conv5.
  const char* const memory = "Device memory of a whole step";
  begins(memory, "Opt v1", "kept between its steps", "379.50");
  begins(memory, "Naive", "kept between its steps", "380.25");
  begins(memory, "Opt v2", "kept between its steps", "955.50");
  begins(kTimes, "Conv1", "Naive", "modelled 1.79 ms");
  begins(kTimes, "Conv5", "Naive", "modelled 758");
  begins(kTimes, "Conv3", "Opt v1", "modelled 433");
  begins(kTimes, "Conv1", "Opt v2", "modelled 51.");
  begins(kTimes, "Conv2", "Opt v2", "modelled 235.");
  begins(kTimes, "Conv5", "Opt v2", "modelled 297.");
  begins(kTimes, "Pool1", "Opt v1", "modelled 23.4 µs");
  begins(kTimes, "Up2", "Opt v2", "modelled 19.5 µs");
  for (const auto& [layer, floor] : {std::pair("Conv1", "4.3 µs, pool fused"),
                                     {"Conv2", "26.4 µs"},
                                     {"Conv3", "3.3 µs"},
                                     {"Conv4", "11.7 µs, upsampling folded in"},
                                     {"Conv5", "4.1 µs, upsampling folded in"}})
    begins(kTimes, layer, "floor, modelled", floor);
}

// One layer and direction loses by more than a tenth, and one does not.
TEST(SeedTables, ALossToTheLibraryIsListedAndAGainIsNot) {
  const char* const table = "Our convolutions against cuDNN";
  const char* const losses = "Where cuDNN is more than 10 % ahead";
  HandMade made;
  made.measure("implicit_gemm_tf32", {{"layer", "Conv2"}}, 2.5e6);
  made.measure("cudnn_fused_tf32", {{"layer", "Conv2"}}, 1e6);
  made.measure("implicit_gemm_tf32", {{"layer", "Conv3"}, {"direction", "wgrad"}}, 1e6);
  made.measure("cudnn_tf32", {{"layer", "Conv3"}, {"direction", "wgrad"}}, 2e6);
  const Session& session = made.session;
  EXPECT_THAT(cell(session, table, "Conv2 forward", "TF32 against cuDNN"),
              StartsWith("loses: 2.5"));
  EXPECT_THAT(cell(session, table, "Conv3 wgrad", "TF32 against cuDNN"),
              HasSubstr("times as fast"));
  EXPECT_THAT(cell(session, losses, "TF32", "losses"), HasSubstr("Conv2 forward 2.5"));
  EXPECT_THAT(cell(session, losses, "TF32", "losses"), Not(HasSubstr("Conv3 wgrad")));
  EXPECT_THAT(cell(session, losses, "TF32", "all known"), StartsWith("no"));
  EXPECT_THAT(cell(session, losses, "FP32", "losses"), Not(HasSubstr("Conv")));
}

TEST(SeedTables, ABentFigureStandsInItsCell) {
  for (const double mib : {70.0, 91.5}) {
    HandMade made;
    made.measure("naive_nhwc", {}, 2e6,
                 {{"dram.bytes_read", mib * (1 << 20)}, {"dram.bytes_write", 128.0 * (1 << 20)}});
    const std::string read = mib == 70.0 ? "70.00" : "91.50";
    const std::string total = mib == 70.0 ? "198.00" : "219.50";
    EXPECT_EQ(cell(made.session, kTraffic, "Naive", "read"), "modelled 64.78 · counted " + read);
    EXPECT_EQ(cell(made.session, kTraffic, "Naive", "total"), "modelled 192.78 · counted " + total);
    EXPECT_EQ(cell(made.session, "The traffic formula", "Conv1", "Naive"), "counted " + total);
    EXPECT_THAT(cell(made.session, kTraffic, "Opt v1", "read"), HasSubstr("not measured"));
  }
  HandMade uncounted;
  uncounted.measure("naive_nhwc", {}, 2e6);
  EXPECT_EQ(cell(uncounted.session, kTraffic, "Naive", "write"),
            "modelled 128.00 · not measured: `warpscope measure autoencoder/naive_nhwc "
            "--counters standard`");
}

TEST(SeedTables, AWrongRowHasItsVerdictInPlaceOfItsTime) {
  HandMade made;
  made.measure("nchw_grid2d", {{"layer", "Conv2"}}, 2e6);
  Measurement wrong = *made.session.all_points().front();
  wrong.verdict = {Outcome::wrong, "y[3] differs", "", 2, 1, 1};
  made.session.apply(wrong);
  EXPECT_THAT(cell(made.session, kTimes, "Conv2", "Opt v1"),
              AllOf(HasSubstr("wrong, y[3] differs"), Not(HasSubstr("2.00 ms"))));
}

TEST(SeedTables, StepsOfAWholeStepFillLayersEpochsAndSpeedUps) {
  HandMade made;
  made.measure(
      "step_naive", {{"part", "step"}}, 150e6, {},
      {step("Conv2", "forward", "naive_forward", 3e6),
       step("Conv2", "forward", "naive_relu", 1.5e6), step("Conv2", "wgrad", "naive_wgrad", 40e6),
       step("Pool1", "forward", "pool_nhwc_forward", 31e3)});
  EXPECT_EQ(cell(made.session, kTimes, "Conv2", "Naive"),
            "modelled 19.07 ms · not measured: `warpscope measure autoencoder/naive_nhwc "
            "layer=Conv2`, 4.50 ms in a whole step");
  EXPECT_EQ(cell(made.session, kTimes, "Pool1", "Naive"),
            "modelled 23.4 µs · 31.00 µs in a whole step");
  made.measure("naive_nhwc", {{"layer", "Conv2"}}, 19e6);
  EXPECT_EQ(cell(made.session, kTimes, "Conv2", "Naive"),
            "modelled 19.07 ms · 19.00 ms, 4.50 ms in a whole step");
  EXPECT_EQ(cell(made.session, "Time per epoch", "Naive", "an epoch"),
            "117.2 s: 781 × the median step");
  EXPECT_THAT(cell(made.session, "Speed-up", "Naive", "speed-up"),
              HasSubstr("not measured: `warpscope measure autoencoder/cpu_sequential part=step "
                        "batch=1`"));
  made.measure("cpu_sequential", {{"part", "step"}, {"batch", "1"}}, 1.5e9);
  EXPECT_EQ(cell(made.session, "Speed-up", "Naive", "speed-up"), "640.00 times");
}

TEST(SeedTables, AStepStandsWithinAFifthOfTheTrainersOrBeyond) {
  const auto of = [](double warm_ms) {
    HandMade made;
    made.measure("step_nchw", {{"part", "step"}}, warm_ms * 1e6);
    return cell(made.session, "A step of the published trainer", "Opt v1", "of its time");
  };
  EXPECT_EQ(of(51.95), "100.0 %, within 20 %");
  EXPECT_THAT(of(62), AllOf(StartsWith("119"), HasSubstr("within")));
  EXPECT_THAT(of(63), AllOf(StartsWith("121"), HasSubstr("beyond")));
  EXPECT_THAT(of(41), AllOf(StartsWith("78.9"), HasSubstr("beyond")));
  HandMade batched;
  batched.measure("step_im2col_loop", {{"part", "step"}}, 10.7e6);
  EXPECT_THAT(cell(batched.session, "A step of the published trainer", "Opt v2 as shipped", "here"),
              HasSubstr("step_im2col_strided"))
      << "its program batches the forward pass";
}

TEST(SeedTables, TheMemoryOfAStepIsTheDriversBesideTheModels) {
  HandMade made;
  made.measure("step_nchw", {{"part", "step"}}, 52e6, {{"memory.device", 400.0 * (1 << 20)}});
  const char* const memory = "Device memory of a whole step";
  EXPECT_EQ(cell(made.session, memory, "Opt v1", "by the driver"), "400.00");
  EXPECT_THAT(cell(made.session, memory, "cuDNN, TF32", "by the driver"),
              HasSubstr("warpscope measure autoencoder/step_cudnn_tf32"));
}

TEST(SeedTables, AnEpochThatWasTrainedFromEndToEndTakesThePlaceOfASum) {
  const auto cell_with = [](double steps, const std::string& device, bool correct = true,
                            bool on_a_device = true) {
    HandMade made;
    made.measure("step_nchw", {{"part", "step"}}, 52e6);
    Measurement point = *made.session.all_points().front();
    if (!correct) {
      point.verdict.outcome = Outcome::wrong;
      made.session.apply(point);
    }
    if (!on_a_device) {
      made.session = Session();
      point.conditions = Conditions{};
      made.session.apply(point);
    }
    Series times;
    times.point = {"autoencoder", "step_nchw", point.key, "", device};
    times.name = kEpochTime;
    times.x = {steps, 2 * steps, 3 * steps};
    times.y = {45, 41, 42};
    made.session.apply(times);
    Series epochs = times;
    epochs.name = "train";
    epochs.x = {1, 2, 3};
    made.session.apply(epochs);
    return cell(made.session, "Time per epoch", "Opt v1", "an epoch");
  };
  EXPECT_EQ(cell_with(781, "GPU-1"), "42.00 s: an epoch trained from end to end");
  EXPECT_EQ(cell_with(16, "GPU-1"), "40.61 s: 781 × the median step");
  EXPECT_EQ(cell_with(781, "GPU-2"), "40.61 s: 781 × the median step");
  EXPECT_EQ(cell_with(781, ""), "40.61 s: 781 × the median step") << "emulated";
  EXPECT_EQ(cell_with(781, "", true, false), "40.61 s: 781 × the median step")
      << "the emulator's seconds are not those of a device";
  EXPECT_THAT(cell_with(781, "GPU-1", false), HasSubstr("wrong")) << "learns something else";
}

TEST(SeedTables, OccupancyIsOfTheKernelThatIsNamed) {
  HandMade made;
  StepRecord columns = step("Conv2", "forward", "im2col", 1e5);
  columns.resources = KernelResources{};
  columns.resources->registers_per_thread = 26;
  columns.resources->theoretical_occupancy_ratio = 1;
  columns.metrics = {{"occupancy.achieved", 91.5, Origin::measured, "", ""}};
  StepRecord bias = step("Conv2", "forward", "bias_relu", 9e5);
  bias.resources = KernelResources{};
  bias.resources->registers_per_thread = 16;
  bias.resources->theoretical_occupancy_ratio = 0.75;
  bias.metrics = {{"occupancy.achieved", 60, Origin::measured, "", ""}};
  made.measure("im2col_cublas_loop", {{"layer", "Conv2"}}, 3e5, {}, {columns, bias});
  const auto of = [&](const char* row, const char* column) {
    return cell(made.session, "Occupancy of nine kernels", row, column);
  };
  EXPECT_EQ(of("Opt v2, im2col", "registers"), "26");
  EXPECT_EQ(of("Opt v2, im2col", "theoretical"), "100.0 %");
  EXPECT_EQ(of("Opt v2, im2col", "achieved"), "91.50 %");
  EXPECT_EQ(of("Opt v2, bias and ReLU", "registers"), "16");
  EXPECT_EQ(of("Opt v2, bias and ReLU", "achieved"), "60.00 %");
  EXPECT_THAT(of("Opt v2, col2im", "achieved"), HasSubstr("direction=dgrad"));
}

TEST(SeedTables, TargetsAreReachedOrMissed) {
  const auto of = [](double occupancy, double lanes, const char* row) {
    HandMade made;
    made.measure("nchw_grid2d", {{"layer", "Conv2"}}, 1e6,
                 {{"occupancy.achieved", occupancy}, {"inst.lanes", lanes}});
    return cell(made.session, "The published targets", row, "Opt v1");
  };
  EXPECT_EQ(of(81, 32, "occupancy > 80 %"), "81.00 %, reached");
  EXPECT_EQ(of(79, 32, "occupancy > 80 %"), "79.00 %, missed");
  EXPECT_EQ(of(79, 32, "warp efficiency > 90 %"), "100.0 %, reached");
  EXPECT_EQ(of(79, 16, "warp efficiency > 90 %"), "50.00 %, missed");
  EXPECT_THAT(of(79, 32, "SM efficiency > 90 %"), HasSubstr("--counters sm.active"));
}

TEST(SeedTables, StandInBothReportsOfASessionThatHasPoints) {
  HandMade made;
  made.measure("nchw_grid2d", {}, 1.5e5,
               {{"dram.bytes_read", 1 << 20}, {"dram.bytes_write", 64.0 * (1 << 20)}});
  const std::string markdown = markdown_report(report_of(made.session));
  const std::string html = html_report(report_of(made.session));
  for (const std::string* report : {&markdown, &html}) {
    EXPECT_THAT(*report, HasSubstr("autoencoder: Memory traffic of Conv1 forward with ReLU"));
    EXPECT_THAT(*report, HasSubstr("modelled 64.00 · counted 64.00"));
    EXPECT_THAT(*report, HasSubstr("The article divides by 1024"));
  }
  Session nothing;
  EXPECT_THAT(markdown_report(report_of(nothing)), Not(HasSubstr("Memory traffic")));
}

}  // namespace
}  // namespace warpscope
