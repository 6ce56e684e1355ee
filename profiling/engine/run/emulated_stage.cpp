// profiling/engine/run/emulated_stage.cpp: a workload in host memory, its kernels run by the
// emulator.
#include "profiling/engine/run/emulated_stage.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <iterator>
#include <thread>
#include <utility>

#include "profiling/emulator/state/tensor_map.h"
#include "profiling/engine/compile/entry_names.h"
#include "profiling/messages/protocol.h"
#include "scenes/base/element_inputs.h"
#include "scenes/base/step_buffers.h"
#include "scenes/host/clock.h"

namespace warpscope {
namespace {

using Clock = std::chrono::steady_clock;

int worker_threads() {
  return static_cast<int>(std::clamp(std::thread::hardware_concurrency(), 1u, 8u));
}

// Half of what a laptop has; the reference buffers of a device are not needed here.
constexpr std::int64_t kMostBytes = 8LL << 30;

tl::unexpected<Error> too_large(std::int64_t bytes, const char* needs) {
  return failure(ErrorKind::resource,
                 std::string(needs) + " " + format_value(static_cast<double>(bytes), "B") +
                     ", the emulator takes at most " +
                     format_value(static_cast<double>(kMostBytes), "B"),
                 "emulator", "choose smaller sizes");
}

// Linear indices of a grid, those below 0 from its last block on; each once.
std::vector<std::int64_t> blocks_among(const std::vector<std::int64_t>& wanted,
                                       const Launch& launch) {
  const std::int64_t count = launch.grid.x * launch.grid.y * launch.grid.z;
  std::set<std::int64_t> blocks;
  for (const std::int64_t block : wanted)
    blocks.insert(std::clamp<std::int64_t>(block < 0 ? count + block : block, 0, count - 1));
  return {blocks.begin(), blocks.end()};
}

}  // namespace

Result<void> EmulatedStage::set(const Scene& scene, const Configuration& axes,
                                const Change& change) {
  if (holds(scene, axes, change.name)) return {};
  // Inputs that were changed are good for nothing else.
  if (scene_ != &scene || !change_.empty() || !change.name.empty()) {
    scene_ = &scene;
    axes_.reset();
    inputs_.clear();
    change_.clear();
  }
  if (Result<void> admitted = scene.admit(axes); !admitted) return admitted;
  const std::int64_t whole = scene.estimate_whole_bytes ? scene.estimate_whole_bytes(axes) : 0;
  if (whole > kMostBytes) return too_large(whole, "inputs that must be made completely take");
  const std::optional<Configuration> before = std::exchange(axes_, std::nullopt);
  if (!before) workload_ = {};
  const auto made = regenerate_inputs_by_page(scene, axes, before, workload_, inputs_);
  if (!made) return tl::unexpected(made.error());
  // A variant's own axes change no reference.
  const bool same_problem =
      before && problem_key(scene.axes, *before) == problem_key(scene.axes, axes);
  if (!same_problem || !made->empty()) expected_.clear();
  if (!change.name.empty()) {
    // Until they are what the name says they are not to be used.
    change_ = change.name;
    change.apply(workload_, inputs_);
  }
  axes_ = axes;
  return {};
}

Facts EmulatedStage::facts() const {
  return scene_->estimate_bytes(workload_.axes) <= kMostBytes ? workload_.all_facts() : Facts{};
}

Result<EmulatedStage::Compiled> EmulatedStage::program_of(const CompileRequest& request) {
  const Result<std::vector<KernelSource>> sources = sources_(request.source);
  if (!sources) return tl::unexpected(sources.error());
  const std::string hash = compile_hash(request, *sources);
  if (const auto found = programs_.find(hash); found != programs_.end()) return found->second;
  const auto start = Clock::now();
  const Result<CompiledPtx> ptx = compile_to_ptx(request, *sources);
  if (!ptx) return tl::unexpected(ptx.error());
  auto program = Program::parse(ptx->ptx, request.source, text_of(*sources, request.defines));
  if (!program) return tl::unexpected(program.error());
  Compiled compiled{std::move(*program), ptx->hash, milliseconds_since(start)};
  std::string& last = requests_[request];
  programs_.erase(last);
  last = hash;
  return programs_.emplace(hash, std::move(compiled)).first->second;
}

Result<EmulatedStage::Held*> EmulatedStage::find(const Step& step, const std::string& buffer) {
  const auto found = held_.find(buffer);
  if (found != held_.end()) return &found->second;
  return failure(ErrorKind::internal, "the step uses an undeclared buffer: " + buffer, step.name);
}

Result<std::vector<ArgumentBytes>> EmulatedStage::arguments_of(const Step& step,
                                                               const KernelLaunch& kernel) {
  std::vector<ArgumentBytes> arguments;
  for (const Argument& argument : kernel.arguments) {
    if (const auto* buffer = std::get_if<BufferArgument>(&argument)) {
      Result<Held*> held = find(step, buffer->buffer);
      if (!held) return tl::unexpected(held.error());
      arguments.push_back(
          argument_of((*held)->address + static_cast<std::uint64_t>(buffer->offset_bytes)));
      continue;
    }
    if (const auto* map = std::get_if<TensorMapArgument>(&argument)) {
      Result<Held*> held = find(step, map->buffer);
      if (!held) return tl::unexpected(held.error());
      const Result<EmulatedTensorMap> encoded =
          emulated_tensor_map(*map, (*held)->address, (*held)->array->size_bytes());
      if (!encoded) return tl::unexpected(encoded.error());
      arguments.push_back(argument_of(*encoded));
      continue;
    }
    if (const auto* record = std::get_if<RecordArgument>(&argument)) {
      ArgumentBytes bytes{record->bytes};
      for (const auto& [at, part] : record->addresses) {
        Result<Held*> held = find(step, part.buffer);
        if (!held) return tl::unexpected(held.error());
        const std::uint64_t address =
            (*held)->address + static_cast<std::uint64_t>(part.offset_bytes);
        std::memcpy(bytes.value.data() + at, &address, sizeof address);
      }
      arguments.push_back(std::move(bytes));
      continue;
    }
    std::visit(
        [&](const auto& value) {
          if constexpr (std::is_arithmetic_v<std::decay_t<decltype(value)>>)
            arguments.push_back(argument_of(value));
        },
        argument);
  }
  return arguments;
}

Result<void> EmulatedStage::run_kernel(const Step& step, const KernelLaunch& kernel,
                                       const View& view, bool traced, bool feeds_others, Run& run) {
  CompileRequest request = request_for(kernel, kArchitecture);
  if (kernel_limit_s_ > 0) request.limit_s = kernel_limit_s_;
  Result<Compiled> compiled = program_of(request);
  if (!compiled) return tl::unexpected(compiled.error());
  Result<std::vector<ArgumentBytes>> arguments = arguments_of(step, kernel);
  if (!arguments) return tl::unexpected(arguments.error());
  EmulateOptions options;
  options.threads = worker_threads();
  options.limit_time(kernel_limit_s_);
  options.sums = traced && view.sums;
  options.traced_block = -1;
  options.cancelled = [&] { return takes_too_much() || (view.cancelled && view.cancelled()); };
  options.progress = [&](double ratio) {
    if (view.progress) view.progress(ratio, "emulating " + step.name);
  };
  if (traced) {
    const Result<std::int64_t> block = parse_block(view.block, kernel.launch);
    if (!block) return tl::unexpected(block.error());
    if (Result<void> warp = check_warp(view.warp, kernel.launch); !warp) return warp;
    options.traced_block = *block;
    options.traced_warp = view.warp;
    options.writer_entries = kUsualWriterEntries;
    const bool sampled = !view.grid && view.sample_instructions > 0;
    if (sampled && !feeds_others) {
      options.sample_instructions = view.sample_instructions;
      if (kernel.block_work)
        options.block_work = [&](const Dim3& at) { return kernel.block_work(inputs_, at); };
    }
    // One that feeds others runs whole: they would read what nothing has written.
    if (!view.grid && !sampled && !feeds_others) options.blocks = {*block};
  }
  if (!view.sums) options.blocks = blocks_among(view.blocks, kernel.launch);
  const auto start = Clock::now();
  const std::string symbol = symbol_of(compiled->program.entries(), kernel.entry);
  Result<EmulatedRun> done =
      emulate(compiled->program, symbol, kernel.launch, *arguments, memory_, options);
  if (!done) return tl::unexpected(done.error());
  if (takes_too_much()) return too_large(taken_bytes(), "what it accesses takes");
  run.cancelled = done->cancelled;
  for (const Fault& fault : done->trace.faults) run.faults.push_back(fault);
  if (done->trace.hang && run.hang.empty()) run.hang = done->trace.hang->verdict;
  if (!traced || run.cancelled) return {};
  Trace trace = std::move(done->trace);
  trace.step = step.name;
  trace.source = kernel.source;
  trace.entry = kernel.entry;
  trace.launch = kernel.launch;
  trace.scope = {trace.scope.grid, options.traced_block, view.warp};
  trace.source_hash = compiled->hash.substr(0, 16);
  trace.compile_ms = compiled->milliseconds;
  trace.emulate_ms = milliseconds_since(start);
  run.traces.push_back(std::move(trace));
  return {};
}

Result<void> EmulatedStage::lay_out(const Variant& variant, const std::vector<Step>& steps,
                                    bool keeps_variables) {
  held_.clear();
  const EmulatedMemory earlier = std::exchange(memory_, EmulatedMemory());
  if (keeps_variables) memory_.keep_variables_of(earlier);
  std::vector<BufferSpec> specs = scene_->buffers(workload_);
  if (variant.scratch) {
    for (BufferSpec& spec : variant.scratch(workload_)) {
      spec.role = BufferRole::scratch;
      specs.push_back(std::move(spec));
    }
  }
  Result<HostSide> host = host_side_of(steps, specs);
  if (!host) return tl::unexpected(host.error());
  left_on_host_ = std::move(host->left_on_host);
  for (const BufferSpec& spec : specs) {
    if (Result<void> done = hold(spec, host->mirrors.count(spec.name) != 0); !done) return done;
  }
  return {};
}

Result<void> EmulatedStage::hold(const BufferSpec& spec, bool mirrored) {
  const auto array = inputs_.find(spec.name);
  const bool made = array != inputs_.end();
  const bool input = spec.role == BufferRole::input, state = spec.role == BufferRole::state;
  if (input && !made)
    return failure(ErrorKind::internal, "no group of inputs creates it", spec.name);
  Held& held = held_[spec.name];
  held.spec = spec;
  if (state && made) {
    held.own = array->second;
  } else if (!input) {
    // 0xFF bytes are NaN in every floating type; a state that nothing makes begins as zeros.
    const std::byte value = state ? std::byte{0} : std::byte{0xFF};
    held.own = HostArray::by_page(spec.type, spec.count,
                                  [value](std::int64_t, std::span<std::byte> bytes) {
                                    std::fill(bytes.begin(), bytes.end(), value);
                                  });
  }
  held.array = input ? &array->second : &held.own;
  if (mirrored) {
    held.mirror.assign(static_cast<std::size_t>(held.array->size_bytes()), std::byte{0xFF});
    if (input || state) held.mirror.assign(held.bytes().begin(), held.bytes().end());
  }
  held.address =
      memory_.add({spec.name, spec.symbol, spec.type, spec.shape}, *held.array, input || state);
  if (input) memory_.refuse_writes(held.address);
  return {};
}

std::int64_t EmulatedStage::taken_bytes() const {
  const auto taken = [](const HostArray& array) {
    return array.pages() != nullptr ? array.pages()->made_bytes() : array.size_bytes();
  };
  std::int64_t bytes = 0;
  for (const auto& [name, array] : inputs_) bytes += taken(array);
  for (const auto& [name, held] : held_) bytes += taken(held.own);
  return bytes;
}

bool EmulatedStage::takes_too_much() const { return taken_bytes() > kMostBytes; }

Result<void> EmulatedStage::admit_bytes(const Held& held, std::int64_t bytes) const {
  const PagedBytes* pages = held.array->pages();
  if (pages == nullptr) return {};
  const std::int64_t absent = std::max<std::int64_t>(0, pages->size() - pages->made_bytes());
  const std::int64_t then = taken_bytes() + std::min(bytes, absent);
  if (then <= kMostBytes) return {};
  return too_large(then, "what its steps access takes");
}

bool EmulatedStage::Course::is_traced(const Step& step) const {
  return std::holds_alternative<KernelLaunch>(step.action) &&
         (view.step.empty() ? step.phase == Phase::run : step.name == view.step);
}

Result<EmulatedStage::Course> EmulatedStage::course_of(const Variant& variant,
                                                       const std::vector<Step>& steps,
                                                       const View& view) const {
  Course course{steps, view};
  const auto last = std::find_if(steps.rbegin(), steps.rend(),
                                 [&](const Step& step) { return course.is_traced(step); });
  if (view.sums && last == steps.rend()) {
    return failure(ErrorKind::usage,
                   view.step.empty() ? "it has no kernel that can be traced"
                                     : "it has no kernel step “" + view.step + "”",
                   variant.name, "choose another variant or step");
  }
  course.end = view.sums ? static_cast<std::size_t>(steps.rend() - last) : steps.size();
  lay_out_parts(course);
  return course;
}

// From the last step to the first: what those after a step need is known before it.
void EmulatedStage::lay_out_parts(Course& course) const {
  const View& view = course.view;
  const auto first = course.steps.begin(), end = first + static_cast<std::ptrdiff_t>(course.end);
  const auto stands = [](const Step& step) { return !step.stand_ins.empty(); };
  const bool alone = view.sums && !view.step.empty() && stands(*(end - 1));
  const bool sampled =
      view.sums && !alone && view.step.empty() && !view.grid && std::any_of(first, end, stands);
  course.parts.assign(course.end, {});
  std::set<std::string> wanted;
  for (std::size_t i = course.end; i-- > 0;) {
    const Step& step = course.steps[i];
    std::set<std::string> own = buffers_of(step);
    std::erase_if(own, [this](const std::string& name) { return is_input(name); });
    Course::Part& part = course.parts[i];
    // Constants are not a buffer: any launch after may read them.
    part.whole = std::holds_alternative<ConstantCopy>(step.action) ||
                 std::any_of(own.begin(), own.end(),
                             [&](const std::string& name) { return wanted.count(name) != 0; });
    const bool traced = view.sums && course.is_traced(step), last = i + 1 == course.end;
    part.stands_in = traced && stands(step) && ((alone && last) || (sampled && !part.whole));
    if (alone) part.runs = last || part.whole;
    if (sampled) part.runs = traced || part.whole;
    if (!part.runs) continue;
    const std::set<std::string> made = part.stands_in ? stood_in(step) : std::set<std::string>{};
    std::set_difference(own.begin(), own.end(), made.begin(), made.end(),
                        std::inserter(wanted, wanted.end()));
  }
}

bool EmulatedStage::is_input(const std::string& buffer) const {
  const auto found = held_.find(buffer);
  return found != held_.end() && found->second.spec.role == BufferRole::input;
}

Result<void> EmulatedStage::run_step(const Variant& variant, const Course& course,
                                     std::size_t index, Unknown& unknown, Run& run) {
  const Step& step = course.steps[index];
  const Course::Part& part = course.parts[index];
  const bool traced = course.view.sums && course.is_traced(step);
  const std::set<std::string> touched = buffers_of(step);
  if (const auto* call = std::get_if<LibraryCall>(&step.action); call && !call->on_host)
    return pass_over(variant, *call, touched, course.view, unknown);
  Result<std::vector<std::string>> sentences =
      replace_unknown(variant, step, touched, traced, part.stands_in, unknown);
  if (!sentences) return tl::unexpected(sentences.error());
  const auto* kernel = std::get_if<KernelLaunch>(&step.action);
  if (kernel == nullptr) return run_other(step);
  if (Result<void> ran = run_kernel(step, *kernel, course.view, traced, part.whole, run); !ran)
    return ran;
  if (traced && !run.cancelled) run.traces.back().stand_ins = std::move(*sentences);
  return {};
}

Result<EmulatedStage::Run> EmulatedStage::run(const Variant& variant, const View& view) {
  const std::int64_t all_bytes = scene_->estimate_bytes(workload_.axes);
  if ((view.grid || !view.sums) && !view.sparse && all_bytes > kMostBytes)
    return too_large(all_bytes, "all blocks of this configuration need");
  const std::vector<Step> steps = variant.steps(workload_);
  if (Result<void> laid = lay_out(variant, steps, view.keeps_variables); !laid)
    return tl::unexpected(laid.error());
  return run_laid_out(variant, steps, view);
}

Result<void> EmulatedStage::begin(const Variant& variant) {
  return lay_out(variant, variant.steps(workload_), false);
}

Result<void> EmulatedStage::write(const std::string& buffer, std::span<const std::byte> bytes) {
  const auto found = held_.find(buffer);
  if (found == held_.end())
    return failure(ErrorKind::usage, "there is no buffer of this name here", buffer);
  Held& held = found->second;
  if (held.bytes().size() != bytes.size())
    return failure(ErrorKind::usage, "it has another size than what is written to it", buffer);
  std::copy(bytes.begin(), bytes.end(), held.bytes().begin());
  if (!held.mirror.empty()) held.mirror.assign(bytes.begin(), bytes.end());
  memory_.set_initialised(held.address, true);
  return {};
}

Result<EmulatedStage::Run> EmulatedStage::go_on(const Variant& variant,
                                                const std::vector<Step>& steps, const View& view) {
  return run_laid_out(variant, steps, view);
}

Result<EmulatedStage::Run> EmulatedStage::run_laid_out(const Variant& variant,
                                                       const std::vector<Step>& steps,
                                                       const View& view) {
  const Result<Course> course = course_of(variant, steps, view);
  if (!course) return tl::unexpected(course.error());
  Run run;
  Unknown unknown;
  cancelled_ = view.cancelled;
  for (std::size_t i = 0; i < course->end && !run.cancelled; ++i) {
    if (!course->parts[i].runs) continue;
    // A kernel asks now and then, a step on the host never.
    run.cancelled = view.cancelled && view.cancelled();
    if (run.cancelled) break;
    if (Result<void> ran = run_step(variant, *course, i, unknown, run); !ran)
      return tl::unexpected(ran.error());
  }
  for (const std::string& name : left_on_host_) {
    if (view.sums) break;
    Held& held = held_.at(name);
    std::copy(held.mirror.begin(), held.mirror.end(), held.bytes().begin());
  }
  return run;
}

std::span<const std::byte> EmulatedStage::bytes_of(const std::string& buffer) const {
  const auto found = held_.find(buffer);
  return found == held_.end() ? std::span<const std::byte>{} : found->second.bytes();
}

}  // namespace warpscope
