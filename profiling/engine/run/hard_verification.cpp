// profiling/engine/run/hard_verification.cpp: verify jobs of a scene's hard cases.
#include <cstring>
#include <utility>

#include "profiling/engine/run/emulation.h"
#include "profiling/export/verdicts.h"
#include "profiling/points/point.h"

namespace warpscope {
namespace {

// Whether a variant that is wrong on purpose fails here as it must. A race or an endless loop is
// named even if no output shows it.
bool fails_as_expected(const Variant& variant, const Workload& workload, Outcome outcome) {
  if (outcome == Outcome::launch_failed)
    return variant.expected_launch_failure && variant.expected_launch_failure(workload);
  if (outcome == Outcome::faulted || outcome == Outcome::timed_out)
    return variant.expected_fault != nullptr;
  return outcome == Outcome::wrong && variant.expected_fault && variant.expected_fault(workload);
}

}  // namespace

Result<void> Emulation::hold_to_twin(const Job& job, const Scene& scene, const std::string& twin,
                                     const EmulatedStage::Change& change, const JobChannel& channel,
                                     HardVerdict& answer) {
  std::vector<StoredOutput> own;
  for (BufferSpec& spec : output_buffers(scene, stage_.workload())) {
    const std::span<const std::byte> bytes = stage_.bytes_of(spec.name);
    own.push_back({std::move(spec), {bytes.begin(), bytes.end()}});
  }
  const Result<const Variant*> other = find_variant_or_explain(scene, twin);
  if (!other) return tl::unexpected(other.error());
  const Result<Configuration> axes = configured(scene, twin, job.axes);
  if (!axes) return tl::unexpected(axes.error());
  if (Result<void> set = stage_.set(scene, *axes, change); !set) return set;
  EmulatedStage::View view;
  view.sums = false;
  view.cancelled = channel.interrupted;
  const Result<EmulatedStage::Run> run = stage_.run(**other, view);
  if (!run) return tl::unexpected(run.error());
  std::int64_t differing = 0;
  for (const StoredOutput& output : own) {
    const std::span<const std::byte> wanted = stage_.bytes_of(output.spec.name);
    const auto size = static_cast<std::size_t>(element_bytes(output.spec.type));
    for (std::size_t at = 0; at + size <= std::min(wanted.size(), output.bytes.size());
         at += size) {
      const std::span<const std::byte> element(output.bytes.data() + at, size);
      if (std::memcmp(element.data(), wanted.data() + at, size) == 0) continue;
      const double expected = element_at(output.spec.type, wanted.data() + at).value;
      if (differing++ == 0)
        answer.first_wrong = wrong_element(output.spec, static_cast<std::int64_t>(at / size),
                                           element, {expected, 0, 0});
    }
  }
  if (differing == 0) return {};
  answer.verdict.outcome = Outcome::wrong;
  answer.verdict.mismatches = differing;
  answer.verdict.sentence = std::to_string(differing) + " elements differ in their bits from " +
                            twin + ", although equal bits are promised";
  answer.verdict.remedy = "sum in the same order";
  return {};
}

// Other inputs, or the same ones at other values, through the same kernels; then back.
Result<void> Emulation::run_before(const Job& job, const Scene& scene, const Variant& variant,
                                   const HardCase& hard, const EmulatedStage::Change& change,
                                   const JobChannel& channel) {
  std::map<std::string, std::string> values = job.axes;
  for (const auto& [axis, value] : *hard.behind) values[axis] = value;
  const Result<Configuration> axes = configured(scene, variant.name, job.axes);
  const Result<Configuration> earlier = configured(scene, variant.name, values);
  if (!axes || !earlier) return tl::unexpected((axes ? earlier : axes).error());
  if (Result<void> set = stage_.set(scene, *earlier); !set) return set;
  EmulatedStage::View view;
  view.sums = false;
  view.cancelled = channel.interrupted;
  // What goes wrong there is found where the variant is verified as it is.
  if (!unavailable(variant, stage_.workload(), DeviceLimits{}))
    static_cast<void>(stage_.run(variant, view));
  return stage_.set(scene, *axes, change);
}

Result<void> Emulation::verify_hard(const Job& job, const Scene& scene, const Variant& variant,
                                    const HardCase& hard, const EmulatedStage::Change& change,
                                    const JobChannel& channel, const std::string& key) {
  const Workload& workload = stage_.workload();
  Measurement m;
  m.conditions.device = "emulator";
  m.conditions.toolkit = nvrtc_version().value_or("");
  HardVerdict answer;
  if (hard.behind) {
    if (Result<void> ran = run_before(job, scene, variant, hard, change, channel); !ran) return ran;
  }
  if (const auto reason = unavailable(variant, workload, DeviceLimits{})) {
    m.verdict = {Outcome::cannot_run, *reason, "choose a configuration that it can run"};
  } else {
    channel.host_work(kHostWorkLimitS);
    const Result<bool> held = hold_to_reference(job, scene, variant, &hard, channel, m);
    if (!held) return tl::unexpected(held.error());
    if (!*held) return {};
    if (hard.behind && m.verdict.outcome == Outcome::wrong) {
      // Alone, with the same inputs: what is right then was decided by the run before it.
      Measurement alone;
      HardCase same = hard;
      same.behind.reset();
      const Result<bool> again = hold_to_reference(job, scene, variant, &same, channel, alone);
      if (again && *again && alone.verdict.outcome == Outcome::correct) {
        m.verdict.sentence =
            "correct alone, but wrong after a run with other inputs: the result depends on what a "
            "__device__ variable keeps; " +
            m.verdict.sentence;
        m.verdict.remedy = "restore such a variable, or make it a scratch buffer";
      }
    }
    if (m.verdict.outcome == Outcome::wrong) answer.first_wrong = stage_.first_wrong();
  }
  answer.job = job.job;
  answer.point = {job.scene, job.variant, key, "", ""};
  answer.hard_case = hard.name;
  answer.axes = workload.axes;
  answer.conditions = std::move(m.conditions);
  answer.verdict = std::move(m.verdict);
  const bool expected = fails_as_expected(variant, workload, answer.verdict.outcome);
  const auto twin = hard.same_bits_as.find(variant.name);
  if (twin != hard.same_bits_as.end() && answer.verdict.outcome == Outcome::correct) {
    if (Result<void> held = hold_to_twin(job, scene, twin->second, change, channel, answer); !held)
      return held;
  }
  answer.finding = failed(answer.verdict.outcome) && !expected;
  channel.send(std::move(answer));
  return {};
}

}  // namespace warpscope
