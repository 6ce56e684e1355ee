// profiling/steps/planned_steps.cpp: what is known of a run's steps before any of them ran.
#include "profiling/steps/planned_steps.h"

#include <variant>

namespace warpscope {
namespace {

// What a step is called and where its code comes from, by the kind of its action.
struct Describe {
  StepRecord& record;
  void operator()(const KernelLaunch& kernel) const {
    record.kind = "kernel";
    record.source = kernel.source;
    record.entry = kernel.entry;
    record.launch = kernel.launch;
  }
  void operator()(const Memset& memset) const {
    record.kind = "memset";
    record.source = memset.buffer;
  }
  void operator()(const DeviceCopy& copy) const {
    record.kind = "copy";
    record.source = copy.from + " to " + copy.to;
  }
  void operator()(const ConstantCopy& copy) const {
    record.kind = "copy";
    record.source = copy.from + " to constant " + copy.symbol;
  }
  void operator()(const LibraryCall& call) const {
    record.kind = "library";
    record.source = call.name;
  }
  void operator()(const HostCopy& copy) const {
    const bool to_host = copy.direction == HostCopy::Direction::to_host;
    record.kind = "copy";
    record.source = copy.buffer + (to_host ? " to the host" : " to the device");
  }
  void operator()(const HostStep& host) const {
    record.kind = "host";
    record.source = host.sentence;
  }
};

}  // namespace

StepRecord planned_record(const Step& step) {
  StepRecord record;
  record.name = step.name;
  record.phase = step.phase;
  record.tags = step.tags;
  std::visit(Describe{record}, step.action);
  for (const auto& [id, value] : step.work)
    record.metrics.push_back({id, value, Origin::modelled, "", ""});
  return record;
}

Measurement planned_run(const Scene& scene, const Variant& variant, const Workload& workload) {
  Measurement planned;
  planned.scene = scene.name;
  planned.variant = variant.name;
  planned.axes = workload.axes;
  planned.key = configuration_key(scene.axes, workload.axes, variant.name);
  planned.problem = problem_key(scene.axes, workload.axes);
  planned.facts = workload.facts;
  for (const Step& step : variant.steps(workload)) planned.steps.push_back(planned_record(step));
  return planned;
}

}  // namespace warpscope
