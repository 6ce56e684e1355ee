// tests/emulator/corpus/exercises_test.cpp: students' kernels of the exercises as PTX and as machine
// code, on the same inputs.
#ifdef WARPSCOPE_WITH_COMPILER
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "profiling/engine/compile/disassembly.h"
#include "profiling/engine/run/emulated/emulated_stage.h"
#include "profiling/grading/exercise.h"
#include "scenes/catalogue.h"
#include "scenes/host/input_file.h"
#include "scenes/read_folder.h"
#include "tests/folders.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;

// What one code did: its outputs, its faults by line, and its figures.
struct CodeRun {
  std::string stopped;  // why there is nothing else; empty: it ran
  std::vector<std::vector<std::byte>> outputs;
  std::set<std::pair<int, std::string>> faults;
  std::int64_t load_sectors = 0, store_sectors = 0, wavefronts = 0;
  bool whole = true;  // no fault ended the work of some lanes
};

CodeRun run_of(EmulatedStage& stage, const Scene& scene, const Variant& variant, TracedCode code) {
  CodeRun made;
  EmulatedStage::View view;
  view.code = code;
  view.threads = 1;
  const Result<EmulatedStage::Run> run = stage.run(variant, view);
  if (!run) {
    made.stopped = sentence(run.error());
    return made;
  }
  for (const Trace& trace : run->traces) {
    if (code == TracedCode::machine_code && !trace.machine_code) made.stopped = "it is of PTX";
    for (const Fault& fault : trace.faults) {
      made.faults.emplace(fault.position.line, to_text(fault.kind));
      made.whole = made.whole && fault.kind == FaultKind::uninitialised_read;
    }
    if (trace.hang) made.whole = false;
    for (const AccessSite& site : trace.sites) {
      if (site.space == Space::shared) made.wavefronts += site.totals.wavefronts;
      if (site.space != Space::global) continue;
      (site.kind == AccessKind::load ? made.load_sectors : made.store_sectors) +=
          site.totals.sectors;
    }
  }
  for (const BufferSpec& spec : scene.buffers(stage.workload())) {
    if (spec.role != BufferRole::output && spec.role != BufferRole::state) continue;
    const std::span<const std::byte> bytes = stage.bytes_of(spec.name);
    made.outputs.emplace_back(bytes.begin(), bytes.end());
  }
  return made;
}

std::string text_of(const std::set<std::pair<int, std::string>>& faults) {
  std::string text;
  for (const auto& [line, kind] : faults) text += " " + std::to_string(line) + ":" + kind;
  return text.empty() ? " none" : text;
}

struct Sums {
  int kernels = 0, refused = 0, equal_outputs = 0, equal_faults = 0, equal_loads = 0,
      equal_stores = 0, equal_wavefronts = 0, compared = 0;
};

// Compares one kernel at the first counted and the first hidden size.
void compare(const fs::path& folder, const Exercise& exercise, const fs::path& kernel, Sums& sums) {
  Result<SceneText> scene = read_scene_folder(folder);
  ASSERT_TRUE(scene) << sentence(scene.error());
  const Result<std::string> text = read_input(kernel, kMostTextFileBytes);
  ASSERT_TRUE(text) << sentence(text.error());
  for (KernelSource& source : scene->sources) {
    if (source.path == scene->name + "/" + exercise.kernel)
      source = kernel_source(source.path, *text);
  }
  scene->hash = scene_hash(*scene);
  const std::string name = folder.filename().string() + "/" + kernel.filename().string();
  Catalogue catalogue;
  const Result<const Scene*> opened = catalogue.open_text(*scene);
  ++sums.kernels;
  if (!opened) {
    ++sums.refused;
    return;
  }
  const Variant* variant = find_variant(**opened, exercise.variant);
  ASSERT_NE(variant, nullptr) << name;
  EmulatedStage stage;
  stage.use(catalogue.source_lookup());
  stage.limit_kernels(60);
  std::vector<AxisTexts> sizes = {exercise.counted.front()};
  if (!exercise.hidden.empty()) sizes.push_back(exercise.hidden.front());
  for (const AxisTexts& size : sizes) {
    const Result<Configuration> axes =
        configured(**opened, exercise.variant, {size.begin(), size.end()});
    ASSERT_TRUE(axes) << sentence(axes.error());
    ASSERT_TRUE(stage.set(**opened, *axes)) << name;
    const CodeRun ptx = run_of(stage, **opened, *variant, TracedCode::ptx);
    if (!ptx.stopped.empty()) {
      ++sums.refused;
      return;
    }
    const CodeRun machine = run_of(stage, **opened, *variant, TracedCode::machine_code);
    const std::string at = name + " at " + axes_text(size);
    EXPECT_EQ(machine.stopped, "") << at;
    if (!machine.stopped.empty()) return;
    ++sums.compared;
    const bool same_outputs = ptx.outputs == machine.outputs;
    sums.equal_outputs += same_outputs ? 1 : 0;
    sums.equal_faults += ptx.faults == machine.faults ? 1 : 0;
    sums.equal_loads += ptx.load_sectors == machine.load_sectors ? 1 : 0;
    sums.equal_stores += ptx.store_sectors == machine.store_sectors ? 1 : 0;
    sums.equal_wavefronts += ptx.wavefronts == machine.wavefronts ? 1 : 0;
    if (ptx.faults.empty() && machine.faults.empty()) {
      EXPECT_TRUE(same_outputs) << at;
    }
    if (ptx.faults != machine.faults)
      std::printf("%s: faults of PTX%s, of SASS%s\n", at.c_str(), text_of(ptx.faults).c_str(),
                  text_of(machine.faults).c_str());
    if (!ptx.whole || !machine.whole) continue;
    if (ptx.load_sectors != machine.load_sectors || ptx.store_sectors != machine.store_sectors ||
        ptx.wavefronts != machine.wavefronts)
      std::printf("%s: load sectors %lld and %lld, store sectors %lld and %lld, wavefronts %lld and "
                  "%lld\n",
                  at.c_str(), static_cast<long long>(ptx.load_sectors),
                  static_cast<long long>(machine.load_sectors),
                  static_cast<long long>(ptx.store_sectors),
                  static_cast<long long>(machine.store_sectors),
                  static_cast<long long>(ptx.wavefronts),
                  static_cast<long long>(machine.wavefronts));
  }
}

std::vector<fs::path> kernels_in(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
    if (entry.path().extension() == ".cu") found.push_back(entry.path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

TEST(SlowMachineCode, OfStudentsKernelsGivesTheOutputsOfTheirPtx) {
  if (const auto program = find_disassembler(); !program) GTEST_SKIP() << sentence(program.error());
  Sums sums;
  for (const fs::directory_entry& entry :
       fs::directory_iterator(source_folder() / "assets/exercises")) {
    const Result<std::string> text =
        read_input(entry.path() / kExerciseFile, kMostTextFileBytes);
    if (!text) continue;
    const Result<Exercise> exercise = parse_exercise(*text, entry.path().string());
    ASSERT_TRUE(exercise) << sentence(exercise.error());
    const std::string name = entry.path().filename().string();
    std::vector<fs::path> kernels = {entry.path() / "starter.cu"};
    for (const fs::path& folder : {source_folder() / "tests/exercises" / name,
                                   source_folder() / "tests/exercises/students" / name}) {
      const std::vector<fs::path> more = kernels_in(folder);
      kernels.insert(kernels.end(), more.begin(), more.end());
    }
    for (const fs::path& kernel : kernels) compare(entry.path(), *exercise, kernel, sums);
  }
  std::printf("%d kernels, %d do not compile or run; of %d runs equal outputs %d, faults %d, load "
              "sectors %d, store sectors %d, wavefronts %d\n",
              sums.kernels, sums.refused, sums.compared, sums.equal_outputs, sums.equal_faults,
              sums.equal_loads, sums.equal_stores, sums.equal_wavefronts);
  EXPECT_GE(sums.compared, 300);
}

}  // namespace
}  // namespace warpscope
#endif
