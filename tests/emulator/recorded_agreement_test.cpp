// tests/emulator/recorded_agreement_test.cpp: kernels emulated anew beside what a recorded session
// counted of them, and what is noticed when a counter is bent.
#include <algorithm>
#include <filesystem>

#include "tests/emulator/fixture.h"
#include "tests/profiling/agreement/mutated_session.h"

#ifdef WARPSCOPE_WITH_COMPILER

#include "profiling/engine/compile/disassembly.h"
#include "profiling/engine/run/emulated/emulated_stage.h"
#include "scenes/catalogue.h"
#include "tests/folders.h"

namespace warpscope {
namespace {

// The kernels of a run, by source: an automatic row may pick other ones than when it was counted.
bool runs_what_ran(const std::vector<Step>& steps, const Measurement& point) {
  std::vector<std::string> today, then;
  for (const Step& step : steps) {
    if (const auto* kernel = std::get_if<KernelLaunch>(&step.action))
      today.push_back(kernel->source);
  }
  for (const StepRecord& step : point.steps) {
    if (step.kind == "kernel") then.push_back(step.source);
  }
  return today == then;
}

// Adds to the session the traces of every `every`th point with counters whose key holds `part` and
// whose variants run kernels of ours alone.
void emulate_points(Session& session, const std::string& part, std::size_t every) {
  std::vector<Measurement> points;
  for (const Measurement* point : session.all_points()) {
    const bool counted =
        std::any_of(point->steps.begin(), point->steps.end(), [](const StepRecord& step) {
          return value_of(step.metrics, "l1.sectors_load").has_value();
        });
    const bool library = std::any_of(point->steps.begin(), point->steps.end(),
                                     [](const StepRecord& step) { return step.kind == "library"; });
    if (point->key.find(part) != std::string::npos && !library &&
        (counted || value_of(point->metrics, "l1.sectors_load")))
      points.push_back(*point);
  }
  EmulatedStage stage;
  for (std::size_t i = 0; i < points.size(); i += every) {
    const Measurement& point = points[i];
    const Catalogue& catalogue = catalogue_of(point);
    const Result<const Scene*> scene = catalogue.find(point.scene);
    stage.use(catalogue.source_lookup());
    const Variant* variant = scene ? find_variant(**scene, point.variant) : nullptr;
    if (variant == nullptr) continue;
    Configuration axes = default_configuration((*scene)->axes);
    for (const auto& [name, value] : point.axes.values()) axes.set(name, value);
    if (!stage.holds(**scene, axes)) {
      ASSERT_TRUE(stage.set(**scene, axes)) << point.key;
    }
    const std::vector<Step> steps = variant->steps(stage.workload());
    if (std::none_of(steps.begin(), steps.end(), [](const Step& step) {
          return step.phase == Phase::run && std::holds_alternative<KernelLaunch>(step.action);
        }))
      continue;
    if (variant->choice && !runs_what_ran(steps, point)) continue;  // it picks another row today
    EmulatedStage::View view;
    view.code = TracedCode::best;
    Result<EmulatedStage::Run> run = stage.run(*variant, view);
    ASSERT_TRUE(run) << point.variant << ": " << sentence(run.error());
    for (Trace& trace : run->traces) {
      trace.scene = point.scene, trace.variant = point.variant, trace.key = point.key;
      session.apply(trace);
    }
  }
}

struct Recorded {
  const char* scene;
  const char* file;   // below the sources
  const char* part;   // of the keys that are emulated
  std::size_t every;  // of its points one in so many
  int agree;          // figures at least
};

// Figures of the kernels that were emulated as machine code: of PTX, one that differs is not
// compared. Without warp instructions: today's machine code is not that of the recording. It has
// other instructions and the same requests.
std::vector<FigureMatch> figures_of_machine_code(const Session& session) {
  // Adding floats in shared memory is a loop of compare-and-swap, whose rounds depend on time.
  std::set<std::string> left_out = {"t_shared_slab", "t_shared_column"};
  for (const Trace* trace : session.traces()) {
    if (!trace->machine_code) left_out.insert(trace->variant);
  }
  std::vector<FigureMatch> all = agree_with_emulator(session);
  std::erase_if(all, [&](const FigureMatch& pair) {
    return left_out.count(pair.variant) != 0 || pair.figure == "emulated.inst.executed";
  });
  return all;
}

class RecordedKernels : public testing::TestWithParam<Recorded> {
 protected:
  void SetUp() override {
    if (const auto program = find_disassembler(); !program) GTEST_SKIP() << program.error().what;
  }
  static const Session& session() {
    static std::map<std::string, Session> sessions;
    const Recorded& which = GetParam();
    const auto [found, first] = sessions.try_emplace(which.scene);
    if (first) {
      Result<SessionReading> reading = read_session(source_folder() / which.file);
      EXPECT_TRUE(reading);
      if (reading) found->second = std::move(reading->session);
      emulate_points(found->second, which.part, which.every);
    }
    return found->second;
  }
};

TEST_P(RecordedKernels, AgreeWithWhatWasCounted) {
  int agree = 0, compared = 0;
  for (const FigureMatch& pair : figures_of_machine_code(session())) {
    agree += pair.match == Match::agrees ? 1 : 0;
    compared += pair.match != Match::not_comparable ? 1 : 0;
    EXPECT_NE(pair.match, Match::differs) << name_of(pair) << " is " << *pair.ours << ", counted "
                                          << *pair.counted << ": " << pair.reason;
  }
  EXPECT_GE(agree, GetParam().agree) << "of " << compared;
}

// The kernels are those that the other test emulated, in the same process.
TEST_P(RecordedKernels, NoticeBentCountersAloneAndWithTheirLevel) {
  const std::vector<std::set<std::string>> levels = {
      {"l1.sectors_load", "l1.requests_load", "l1.sectors_store", "l1.requests_store"},
      {"shared.wavefronts_lds", "shared.wavefronts_sts"},
      {"l2.bytes_to_sm"}};
  for (const std::set<std::string>& level : levels) {
    std::vector<std::set<std::string>> groups = {level};
    for (const std::string& counter : level) groups.push_back({counter});
    for (const std::set<std::string>& group : groups) {
      for (const double factor : {1.5, 0.01}) {
        for (const std::string& missed :
             unnoticed(session(), figures_of_machine_code, group, factor))
          ADD_FAILURE() << *group.begin() << (group.size() > 1 ? " …" : "") << " × " << factor
                        << " goes unnoticed: " << missed;
      }
    }
  }
}

constexpr Recorded kPatterns = {"patterns", "tests/recordings/h200-patterns-of-2026-11-21.wsj.gz",
                                "op=", 1, 100};
constexpr Recorded csrmm(std::size_t every, int agree) {
  return {"csrmm", "tests/recordings/h200-csrmm-small-of-2026-11-21.wsj.gz",
          "m=1000,k=1000,p=0.05,n=32", every, agree};
}
const auto name_of_scene = [](const testing::TestParamInfo<Recorded>& each) {
  return std::string(each.param.scene);
};

INSTANTIATE_TEST_SUITE_P(Scenes, RecordedKernels, testing::Values(csrmm(4, 40)), name_of_scene);
INSTANTIATE_TEST_SUITE_P(SlowScenes, RecordedKernels, testing::Values(kPatterns, csrmm(1, 150)),
                         name_of_scene);

}  // namespace
}  // namespace warpscope

#endif  // WARPSCOPE_WITH_COMPILER
