// profiling/messages/job_verdict.cpp: the verdict on a job that nobody measured to its end.
#include "profiling/messages/job_verdict.h"

#include <utility>

#include "scenes/catalogue.h"

namespace warpscope {

Measurement verdict_on(const Catalogue& catalogue, const Job& job, Verdict verdict) {
  Measurement m;
  m.job = job.job;
  m.scene = job.scene;
  m.variant = job.variant;
  m.catalogue = catalogue.shared();
  if (Result<const Scene*> scene = catalogue.find(job.scene)) {
    if (const Result<Configuration> axes = configured(**scene, job.variant, job.axes)) {
      m.axes = *axes;
      m.key = configuration_key((*scene)->axes, *axes, job.variant);
      m.problem = problem_key((*scene)->axes, *axes);
    }
  }
  m.verdict = std::move(verdict);
  return m;
}

}  // namespace warpscope
