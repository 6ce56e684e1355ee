// profiling/engine/compile/resources.cpp: what the compiler says a kernel takes: registers, spills,
// shared memory.
#include "profiling/engine/compile/resources.h"

#include <charconv>
#include <optional>
#include <utility>

#include "profiling/binaries/cubin.h"
#include "profiling/engine/compile/entry_names.h"
#include "profiling/points/occupancy.h"
#include "profiling/steps/planned_steps.h"

namespace warpscope {
namespace {

// The number directly before the text `behind`: 255 in "Used 255 registers". No value if it is not
// there.
std::optional<std::int64_t> number_before(std::string_view text, std::string_view behind) {
  const std::size_t end = text.find(behind);
  if (end == std::string_view::npos) return std::nullopt;
  std::size_t begin = end;
  while (begin > 0 && text[begin - 1] >= '0' && text[begin - 1] <= '9') --begin;
  std::int64_t value = 0;
  const auto parsed = std::from_chars(text.data() + begin, text.data() + end, value);
  if (parsed.ec != std::errc() || parsed.ptr != text.data() + end) return std::nullopt;
  return value;
}

// What ptxas says of one entry, up to the next one.
std::string_view report_of(std::string_view log, const std::string& entry) {
  constexpr std::string_view kBegin = "Compiling entry function '";
  const std::size_t at = log.find(std::string(kBegin) + entry + "'");
  if (at == std::string_view::npos) return {};
  return log.substr(at, log.find(kBegin, at + kBegin.size()) - at);
}

// The first line of a compiler's log that names an error, in place of all of it.
std::string first_error(const std::string& log) {
  std::size_t at = log.find("error");
  if (at == std::string::npos) at = log.find('\n') + 1;
  const std::size_t begin = log.rfind('\n', at == 0 ? 0 : at - 1);
  const std::size_t from = begin == std::string::npos ? 0 : begin + 1;
  return log.substr(from, log.find('\n', from) - from);
}

}  // namespace

Result<KernelResources> reported_resources(std::string_view log, const std::string& entry) {
  // "Compiling entry function 'k' for 'sm_90'", "Function properties for k", "16 bytes stack frame,
  // 12 bytes spill stores, 20 bytes spill loads", "Used 32 registers, used 1 barriers, 1024 bytes
  // smem, 400 bytes cmem[0]".
  const std::string_view report = report_of(log, entry);
  const std::optional<std::int64_t> registers = number_before(report, " registers");
  if (!registers) {
    return failure(ErrorKind::internal,
                   "ptxas does not report how many registers " + entry + " takes", entry,
                   "install the toolkit that this version was made for, CUDA 13");
  }
  KernelResources r;
  r.registers_per_thread = static_cast<int>(*registers);
  r.local_bytes_per_thread = number_before(report, " bytes stack frame").value_or(0);
  r.spill_store_bytes = number_before(report, " bytes spill stores").value_or(0);
  r.spill_load_bytes = number_before(report, " bytes spill loads").value_or(0);
  r.static_shared_bytes = number_before(report, " bytes smem").value_or(0);
  return r;
}

Result<KernelResources> resources_of(const Compiled& code, const std::string& entry) {
  const std::string symbol = symbol_of(kernel_symbols(code.cubin), entry);
  Result<KernelResources> r = reported_resources(code.log, symbol);
  if (!r) return r;
  if (const auto kernel = kernel_in_cubin(code.cubin, symbol))
    r->most_block_threads = kernel->most_threads;
  return r;
}

StepRecord compiled_step(const Step& step, const KernelLaunch& kernel, int compute_capability,
                         const SourceLookup& sources) {
  StepRecord record = planned_record(step);
  const Result<std::vector<KernelSource>> texts = sources(kernel.source);
  if (!texts) {
    record.refusal = sentence(texts.error());
    return record;
  }
  record.text_hash = text_hash_of(*texts);
  constexpr int kFeatured = 90;  // whose features a launch may ask for: see KernelLaunch
  if (kernel.architecture_features && compute_capability != kFeatured) {
    record.refusal = "it is written for " + architecture_name(kFeatured, true) +
                     " only, whose features no other architecture has";
    return record;
  }
  const Result<Compiled> code = compile(request_for(kernel, compute_capability), *texts);
  if (!code) {
    record.refusal = code.error().kind == ErrorKind::input
                         ? "it does not compile: " + first_error(code.error().what)
                         : sentence(code.error());
    return record;
  }
  Result<KernelResources> resources = resources_of(*code, kernel.entry);
  if (!resources) {
    record.refusal = sentence(resources.error());
    return record;
  }
  resources->dynamic_shared_bytes = kernel.launch.dynamic_shared_bytes;
  if (const auto occupancy =
          occupancy_of(*resources, kernel.launch, limits_of_architecture(compute_capability))) {
    resources->blocks_per_multiprocessor = static_cast<int>(occupancy->blocks);
    resources->theoretical_occupancy_ratio = occupancy->ratio;
  }
  record.resources = *resources;
  return record;
}

std::vector<StepRecord> compiled_steps(const std::vector<Step>& steps, int compute_capability,
                                       const SourceLookup& sources,
                                       const std::function<bool(const Step&)>& go_on) {
  std::vector<StepRecord> records;
  for (const Step& step : steps) {
    const auto* kernel = std::get_if<KernelLaunch>(&step.action);
    if (kernel == nullptr) continue;
    if (go_on && !go_on(step)) break;
    records.push_back(compiled_step(step, *kernel, compute_capability, sources));
  }
  return records;
}

}  // namespace warpscope
