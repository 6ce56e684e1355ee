// tests/sass/sass_scenes.cpp: every kernel of the scenes as machine code and as PTX, on the same
// inputs.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "profiling/emulator/emulator.h"
#include "profiling/emulator/sass/machine_code.h"
#include "profiling/emulator/state/memory_copy.h"
#include "profiling/engine/compile/compiler.h"
#include "profiling/engine/compile/disassembly.h"
#include "profiling/engine/run/emulated/buffers.h"
#include "profiling/engine/run/emulated/other_steps.h"
#include "profiling/engine/run/emulated/programs.h"
#include "scenes/base/element_inputs.h"
#include "scenes/base/scene.h"
#include "scenes/catalogue.h"
#include "scenes/random_configuration.h"

// Usage: sass_scenes FOLDER [SCENE [VARIANT [axis=value …]]]. FOLDER keeps disassemblies;
// NVDISASM names the program. Each kernel step, unless it ran before, is emulated from PTX and from
// machine code on the same memory, as many blocks as WORK instructions of warps allow. A line per
// step: what is not known, which buffers differ, counts of both, and the speeds. EVERY compares
// each so many of the steps alone. Status 1: some output differs, or some form is not known,
// without a reason in kReasons; 77: there is no nvdisasm. ARCHITECTURE=120 makes the machine code
// for sm_120 in place of sm_90; kernels that do not compile for it are left out.

namespace {

using namespace warpscope;
namespace fs = std::filesystem;

// Why outputs of machine code may have other bits than those of PTX.
struct Reason {
  const char* step;  // "autoencoder/winograd/", the beginning of "SCENE/VARIANT/STEP"
  const char* why;
  int from = 0;  // for architectures from this one on; its instruction is then refused by name
};
constexpr Reason kReasons[] = {
    {"autoencoder/winograd", "PTX rounds a product and a sum apart, ptxas fuses them"},
    {"csrmm/row_swizzle/order rows", "the place of a row depends on the order of atomics"},
    {"deform/sorted_queries/order queries", "the place of a query depends on the order of atomics"},
    {"deform/sorted_windows/order queries", "the place of a query depends on the order of atomics"},
    {"deform_backward/warp_per_query", "f32 sums depend on the order of atomics of several warps"},
    {"deform_backward/vector_atomics", "f32 sums depend on the order of atomics of several warps"},
    {"deform_backward/sorted_cells/sum_cells", "f32 sums depend on the order of atomics"},
    {"deform_backward/sorted_parts/place_parts", "places depend on the order of atomics"},
    {"deform_backward/sorted_tiles/sorted_tiles", "places depend on the order of atomics"},
    {"deform/sorted_windows/sample", "a copy to both blocks of a cluster calls the driver", 120},
    {"deform/pair_rows_bulk/sample", "a barrier is made by a store and SYNCS.CCTL.IVALL", 100}};
const Reason* reason_of(const std::string& step, int architecture) {
  for (const Reason& reason : kReasons) {
    if (step.starts_with(reason.step) && architecture >= reason.from) return &reason;
  }
  return nullptr;
}
// Calls of the driver where an architecture has no instruction for a copy. In a kernel that does
// not come to one, they say nothing of the outputs.
bool calls_the_driver(const std::string& unknown) {
  return unknown.starts_with("the driver's function __cuda_syscall_");
}

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string disassembly(const fs::path& folder, const Compiled& code) {
  const fs::path text = folder / (code.hash.substr(0, 16) + ".sass");
  if (!fs::exists(text)) {
    const fs::path cubin = folder / (code.hash.substr(0, 16) + ".cubin");
    std::ofstream(cubin, std::ios::binary) << code.cubin;
    const char* program = std::getenv("NVDISASM");
    const std::string command = std::string(program == nullptr ? "nvdisasm" : program) +
                                " -c -gi -hex " + cubin.string() + " > " + text.string();
    if (std::system(command.c_str()) != 0) fs::remove(text);
  }
  return read_file(text);
}

// Requests and sectors of global memory, and wavefronts of shared memory.
struct Counts {
  std::int64_t load_requests = 0, load_sectors = 0, store_requests = 0, store_sectors = 0;
  std::int64_t shared_loads = 0, shared_stores = 0, local = 0;
  bool operator==(const Counts&) const = default;
};
Counts counts_of(const Trace& trace) {
  Counts c;
  for (const AccessSite& s : trace.sites) {
    const bool load = s.kind == AccessKind::load || s.kind == AccessKind::async_copy ||
                      s.kind == AccessKind::matrix_load;
    if (s.space == Space::global) {
      (load ? c.load_requests : c.store_requests) += s.totals.requests;
      (load ? c.load_sectors : c.store_sectors) += s.totals.sectors;
    } else if (s.space == Space::shared) {
      (load && s.kind != AccessKind::async_copy ? c.shared_loads : c.shared_stores) +=
          s.totals.wavefronts;
    } else if (s.space == Space::local) {
      c.local += s.totals.sectors;
    }
  }
  return c;
}

double number_at(ElementType type, const std::byte* p, std::int64_t k) {
  if (type == ElementType::f32) {
    float x;
    std::memcpy(&x, p + 4 * k, 4);
    return x;
  }
  return 0;
}

// "b 3/400 (1e-7)": how many bytes of a buffer differ, and by how much if they are f32.
std::string difference(const MemoryBuffer& b, const std::vector<std::byte>& ptx) {
  std::int64_t bytes = 0, first = -1;
  for (std::int64_t k = 0; k < b.bytes; ++k) {
    if (b.data[k] == ptx[static_cast<std::size_t>(k)]) continue;
    if (first < 0) first = k;
    ++bytes;
  }
  if (bytes == 0) return {};
  double worst = 0;
  if (b.spec.type == ElementType::f32) {
    for (std::int64_t k = 0; k < b.bytes / 4; ++k) {
      const double x = number_at(ElementType::f32, b.data, k),
                   y = number_at(ElementType::f32, ptx.data(), k);
      if (x == y || (x != x && y != y)) continue;
      const double d = std::fabs(x - y) / std::max({std::fabs(x), std::fabs(y), 1e-30});
      worst = std::max(worst, d != d ? 9.0 : d);
    }
  }
  if (std::getenv("SHOW") != nullptr && b.spec.type == ElementType::f32) {
    for (std::int64_t k = 0, shown = 0; k < b.bytes / 4 && shown < 40; ++k) {
      if (std::memcmp(b.data + 4 * k, ptx.data() + 4 * k, 4) == 0) continue;
      ++shown;
      std::printf("[%lld] PTX %g SASS %g\n", static_cast<long long>(k),
                  number_at(ElementType::f32, ptx.data(), k),
                  number_at(ElementType::f32, b.data, k));
    }
  }
  char text[200];
  std::snprintf(text, sizeof text, " %s: %lld of %lld bytes, first at %lld, worst %.2g;",
                b.spec.name.c_str(), static_cast<long long>(bytes), static_cast<long long>(b.bytes),
                static_cast<long long>(first), worst);
  return text;
}

struct Totals {
  int seen = 0, steps = 0, known = 0, equal = 0, counted = 0;
  std::vector<std::string> wrong;  // steps without a reason
  std::set<std::string> left_out;  // variants that do not compile for the architecture
  double ptx_ms = 0, sass_ms = 0;
  std::int64_t ptx_instructions = 0, sass_instructions = 0;
  std::map<std::string, int> unknown;
};

// The blocks that take about so many warp instructions, spread over the grid.
std::vector<std::int64_t> some_blocks(const Launch& launch, std::int64_t each, std::int64_t work) {
  const std::int64_t grid = launch.grid.x * launch.grid.y * launch.grid.z;
  const std::int64_t count =
      std::clamp<std::int64_t>(work / std::max<std::int64_t>(each, 1), 1, grid);
  std::vector<std::int64_t> blocks;
  for (std::int64_t k = 0; k < count; ++k) blocks.push_back(k * grid / count);
  return blocks;
}

class Course {
 public:
  Course(fs::path folder, int architecture, std::int64_t work, int every, Totals& totals)
      : folder_(std::move(folder)),
        architecture_(architecture),
        work_(work),
        every_(every),
        totals_(totals) {}
  void run(const Scene& scene, const Variant& variant, const Configuration& axes,
           std::set<std::string>& seen) {
    EmulatedBuffers buffers;
    Workload w;
    if (!regenerate_inputs_by_page(scene, axes, {}, w, buffers.inputs())) return;
    w.axes = axes;
    if (unavailable(variant, w, {})) return;
    const std::vector<Step> steps = variant.steps(w);
    if (!buffers.lay_out(scene, w, variant, steps, false)) return;
    for (const Step& step : steps) {
      const auto* kernel = std::get_if<KernelLaunch>(&step.action);
      if (kernel == nullptr) {
        const auto* const call = std::get_if<LibraryCall>(&step.action);
        if (call != nullptr && !call->on_host) continue;
        (void)run_without_kernel(buffers, programs_, step);
        continue;
      }
      const CompileRequest request = request_for(*kernel, 90);
      const auto ptx = programs_.of(request);
      const Result<Compiled> code = compile(request_for(*kernel, architecture_));
      if (ptx && !code) totals_.left_out.insert(scene.name + "/" + variant.name);
      if (!ptx || !code) continue;
      const auto arguments = buffers.arguments_of(step, *kernel);
      if (!arguments) continue;
      const bool fresh = seen.insert(code->hash + kernel->entry + scene.name).second;
      if (!fresh || totals_.seen++ % every_ != 0) {
        run_before(ptx->program, *kernel, *arguments, buffers.memory());
        continue;
      }
      step_ = scene.name + "/" + variant.name + "/" + step.name;
      std::printf("%s ", step_.c_str());
      compare(ptx->program, *code, *kernel, *arguments, buffers.memory());
      std::fflush(stdout);
    }
  }

 private:
  static std::string entry_of(const Program& ptx, const std::string& name) {
    std::string found;
    for (const std::string& entry : ptx.entries()) {
      if (entry == name) return name;
      if (found.empty() && entry.find(name) != std::string::npos) found = entry;
    }
    return found.empty() ? name : found;
  }
  // A step that was compared already does its work for those after it.
  void run_before(const Program& ptx, const KernelLaunch& kernel,
                  const std::vector<ArgumentBytes>& arguments, EmulatedMemory& memory) const {
    EmulateOptions options;
    options.traced_block = -1;
    options.check_races = options.check_uninitialised = options.check_block_races = false;
    options.sums = false;
    options.instruction_budget = 150 * work_;
    (void)emulate(ptx, entry_of(ptx, kernel.entry), kernel.launch, arguments, memory, options);
  }
  void compare(const Program& ptx, const Compiled& code, const KernelLaunch& kernel,
               const std::vector<ArgumentBytes>& arguments, EmulatedMemory& memory) {
    ++totals_.steps;
    const std::string entry = entry_of(ptx, kernel.entry);
    const Result<MachineProgram> sass =
        MachineProgram::read(code.cubin, disassembly(folder_, code), entry, kernel.source);
    if (!sass) return fail("NOT READ", sass.error());
    std::set<std::string> unknown;
    for (const std::string& u : sass->unknown()) {
      if (unknown.insert(u.substr(0, u.find(" in "))).second) ++totals_.unknown[u];
    }
    if (unknown.empty()) ++totals_.known;
    memory.state().place(ptx.identity(), ptx.parsed());
    const auto before = MemoryCopy::of(memory.state(), 3LL << 30);
    if (!before) return (void)std::printf("too large\n");
    EmulateOptions options;
    options.traced_block = -1;
    options.check_races = options.check_uninitialised = options.check_block_races = false;
    options.instruction_budget = 500 * work_;
    std::int64_t whole = 0;
    if (!kernel.launch.cooperative) {
      options.blocks = {0};
      const auto one = emulate(ptx, entry, kernel.launch, arguments, memory, options);
      if (!one) return (void)std::printf("PTX: %s\n", sentence(one.error()).c_str());
      whole = one->trace.warp_instructions * kernel.launch.grid.x * kernel.launch.grid.y *
              kernel.launch.grid.z;
      options.blocks = some_blocks(kernel.launch, one->trace.warp_instructions, work_);
      before->restore(memory.state());
    }
    const auto first = emulate(ptx, entry, kernel.launch, arguments, memory, options);
    if (!first) return (void)std::printf("PTX: %s\n", sentence(first.error()).c_str());
    std::vector<std::vector<std::byte>> after;
    for (const auto& b : memory.state().buffers) {
      after.emplace_back();
      if (!b->read_only) after.back().assign(b->data, b->data + b->bytes);
    }
    before->restore(memory.state());
    const auto second = emulate(*sass, ptx, kernel.launch, arguments, memory, options);
    if (!second) return fail("SASS", second.error());
    std::string differs;
    for (std::size_t k = 0; k < after.size(); ++k) {
      if (!after[k].empty()) differs += difference(*memory.state().buffers[k], after[k]);
    }
    report(first->trace, second->trace, differs, unknown);
    // The rest of the course goes on with the whole grid where it is small.
    const auto blocks = static_cast<std::int64_t>(options.blocks.size());
    if (blocks == kernel.launch.grid.x * kernel.launch.grid.y * kernel.launch.grid.z ||
        whole > 80'000'000)
      return;
    before->restore(memory.state());
    options.blocks.clear();
    options.sums = false;
    (void)emulate(ptx, entry, kernel.launch, arguments, memory, options);
  }

  void fail(const char* what, const Error& error) {
    std::printf("%s: %s\n", what, sentence(error).c_str());
    totals_.wrong.push_back(step_);
  }

  void report(const Trace& ptx, const Trace& sass, const std::string& differs,
              const std::set<std::string>& unknown) {
    const Counts a = counts_of(ptx), b = counts_of(sass);
    const bool faults = !sass.faults.empty() && ptx.faults.empty();
    if (differs.empty() && !faults) ++totals_.equal;
    const Reason* const reason = reason_of(step_, architecture_);
    const bool differs_for_a_reason = !differs.empty() && reason != nullptr;
    const bool refused = reason != nullptr && reason->from > 0;
    // What stopped at the limit is of two parts of the work.
    const bool whole = ptx.faults.empty() ||
                       ptx.faults[0].sentence.find("stopped at the limit") == std::string::npos;
    const bool all_known = std::all_of(unknown.begin(), unknown.end(), calls_the_driver);
    if (!refused && whole && (faults || !all_known || (!differs.empty() && reason == nullptr)))
      totals_.wrong.push_back(step_);
    if (a == b) ++totals_.counted;
    totals_.ptx_ms += ptx.emulate_ms;
    totals_.sass_ms += sass.emulate_ms;
    totals_.ptx_instructions += ptx.warp_instructions;
    totals_.sass_instructions += sass.warp_instructions;
    std::printf("%s %s", differs.empty() && !faults ? "EQUAL" : "DIFFERS",
                a == b ? "counts equal" : "counts differ");
    std::printf(" | %lld → %lld instructions, %.1f and %.1f M/s",
                static_cast<long long>(ptx.warp_instructions),
                static_cast<long long>(sass.warp_instructions),
                ptx.warp_instructions / ptx.emulate_ms / 1e3,
                sass.warp_instructions / sass.emulate_ms / 1e3);
    if (!(a == b)) {
      const auto pair = [](const char* what, std::int64_t x, std::int64_t y) {
        if (x != y) std::printf(" %s %lld → %lld", what, (long long)x, (long long)y);
      };
      std::printf(" |");
      pair("load requests", a.load_requests, b.load_requests);
      pair("load sectors", a.load_sectors, b.load_sectors);
      pair("store requests", a.store_requests, b.store_requests);
      pair("store sectors", a.store_sectors, b.store_sectors);
      pair("shared loads", a.shared_loads, b.shared_loads);
      pair("shared stores", a.shared_stores, b.shared_stores);
      pair("local", a.local, b.local);
    }
    if (!differs.empty()) std::printf(" |%s", differs.c_str());
    if (differs_for_a_reason) std::printf(" (%s)", reason->why);
    if (!unknown.empty()) {
      std::printf(" | UNKNOWN");
      for (const std::string& u : unknown) std::printf(" %s;", u.c_str());
    }
    for (std::size_t k = 0; k < sass.faults.size() && k < 2; ++k)
      std::printf(" | FAULT %s", sass.faults[k].sentence.c_str());
    if (!ptx.faults.empty()) std::printf(" | PTX FAULT %s", ptx.faults[0].sentence.c_str());
    std::printf("\n");
  }

  fs::path folder_;
  int architecture_;
  std::int64_t work_;
  int every_;
  std::string step_;
  Totals& totals_;
  EmulatedPrograms programs_;
};

}  // namespace

int main(int count, char** arguments) {
  if (count < 2) return 2;
  const char* work = std::getenv("WORK");
  const char* const every = std::getenv("EVERY");
  if (std::getenv("NVDISASM") == nullptr) {
    const Result<std::string> program = find_disassembler();
    if (!program) return std::printf("%s\n", sentence(program.error()).c_str()), 77;
    setenv("NVDISASM", program->c_str(), 1);
  }
  fs::create_directories(arguments[1]);
  Totals totals;
  const char* const architecture = std::getenv("ARCHITECTURE");
  Course course(arguments[1], architecture == nullptr ? 90 : std::atoi(architecture),
                work == nullptr ? 200'000 : std::atoll(work),
                every == nullptr ? 1 : std::max(1, std::atoi(every)), totals);
  std::map<std::string, std::string> changes;
  for (int k = 4; k < count; ++k) {
    const std::string text = arguments[k];
    changes[text.substr(0, text.find('='))] = text.substr(text.find('=') + 1);
  }
  std::set<std::string> seen;
  const char* const draws = std::getenv("RANDOM_CONFIGURATIONS");
  for (const Scene& scene : built_in_catalogue().scenes()) {
    if (count > 2 && scene.name != arguments[2]) continue;
    const auto drawn = random_configurations(scene, {77}, draws == nullptr ? 0 : std::atoi(draws));
    for (const RandomConfiguration& configuration :
         drawn ? *drawn : std::vector<RandomConfiguration>{}) {
      for (const Variant& variant : scene.variants) {
        if (count > 3 && variant.name != arguments[3]) continue;
        const Configuration axes = for_variant(scene.axes, configuration.axes, variant.name);
        if (variant.applies && !variant.applies(axes)) continue;
        course.run(scene, variant, axes, seen);
      }
    }
    if (draws != nullptr) continue;
    for (const Variant& variant : scene.variants) {
      if (count > 3 && variant.name != arguments[3]) continue;
      const Result<Configuration> axes = configured(scene, variant.name, changes);
      if (!axes || (variant.applies && !variant.applies(*axes))) continue;
      course.run(scene, variant, *axes, seen);
    }
  }
  std::printf("\n%d kernel steps: %d known, %d equal, %d counts equal\n", totals.steps,
              totals.known, totals.equal, totals.counted);
  std::printf("PTX %.2f M/s, SASS %.2f M/s\n",
              static_cast<double>(totals.ptx_instructions) / totals.ptx_ms / 1e3,
              static_cast<double>(totals.sass_instructions) / totals.sass_ms / 1e3);
  std::map<std::string, int> by_form;
  for (const auto& [text, n] : totals.unknown) by_form[text.substr(0, text.find(" in "))] += n;
  for (const auto& [text, n] : by_form) std::printf("unknown in %d: %s\n", n, text.c_str());
  for (const std::string& variant : totals.left_out)
    std::printf("does not compile: %s\n", variant.c_str());
  for (const std::string& step : totals.wrong)
    std::printf("WRONG without a reason: %s\n", step.c_str());
  return totals.wrong.empty() && totals.steps > 0 ? 0 : 1;
}
