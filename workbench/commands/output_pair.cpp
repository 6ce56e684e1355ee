// workbench/commands/output_pair.cpp: compare --outputs: the outputs of two variants, bit by bit.
#include "profiling/points/output_pair.h"

#include <cstdio>

#include "profiling/export/compiled_table.h"
#include "profiling/export/verdicts.h"
#include "scenes/host/write_file.h"
#include "workbench/commands/commands.h"

namespace warpscope {
namespace {

Result<Job> outputs_job(const OutputsComparison& options) {
  const Result<SceneAndVariants> first = scene_argument(options.first),
                                 second = scene_argument(options.second);
  if (!first) return tl::unexpected(first.error());
  if (!second) return tl::unexpected(second.error());
  for (const auto& [chosen, text] :
       {std::pair(&*first, &options.first), std::pair(&*second, &options.second)}) {
    if (text->find('/') == std::string::npos)
      return failure(ErrorKind::usage, "outputs are of one variant", *text, "write SCENE/VARIANT");
  }
  if (first->scene != second->scene) {
    return failure(ErrorKind::usage, "variants of two scenes have no outputs in common",
                   options.second, "name two variants of one scene");
  }
  const auto axes = axis_arguments(options.axes);
  if (!axes) return tl::unexpected(axes.error());
  const Scene& scene = *first->scene;
  if (const Result<Configuration> typed =
          with_values(scene.axes, default_configuration(scene.axes), *axes);
      !typed)
    return tl::unexpected(typed.error());
  // An axis of one of the two alone is that one's.
  for (const auto& axis : *axes) {
    if (admit_own_axes(*first, {axis})) continue;
    if (Result<void> admitted = admit_own_axes(*second, {axis}); !admitted)
      return tl::unexpected(admitted.error());
  }
  Job job;
  job.kind = JobKind::outputs;
  job.hang_limit_s = options.engine.limit_s.value_or(job.hang_limit_s);
  job.scene = scene.name;
  job.variant = first->variants.front()->name;
  job.other = second->variants.front()->name;
  job.axes = *axes;
  return job;
}

void print_pair(const OutputPair& pair) {
  std::printf("%s: %s and %s, on %s\n", pair.first.scene.c_str(), pair.first.variant.c_str(),
              pair.second.variant.c_str(),
              pair.conditions.device_uuid.empty() ? "the emulator"
                                                  : to_text(device_of(pair.conditions)).c_str());
  std::printf("%s\n", pair.first.key.c_str());
  if (!pair.refusal.empty()) std::printf("not compared: %s\n", pair.refusal.c_str());
  for (const OutputDifference& d : pair.outputs) std::printf("%s\n", sentence_of(d).c_str());
  for (const auto& [id, verdict] : {std::pair(&pair.first, &pair.first_verdict),
                                    std::pair(&pair.second, &pair.second_verdict)}) {
    if (verdict->outcome == Outcome::unchecked) continue;
    std::printf("%s against its reference: %s, %s\n", id->variant.c_str(),
                to_text(verdict->outcome), verdict->sentence.c_str());
  }
}

}  // namespace

int run_output_pair(const OutputsComparison& options) {
  const Result<Job> job = outputs_job(options);
  if (!job) return fail(job.error());
  Result<std::unique_ptr<SessionFile>> file = session_option(options.session);
  if (!file) return fail(file.error());
  bool on_device = false;
  if (!options.emulated) {
    const Result<bool> device = device_answers(options.engine);
    if (!device) return fail(device.error());
    on_device = *device;
  }
  Session session;
  const auto ran =
      run_jobs(on_device ? engine_command(options.engine) : emulator_command(options.engine),
               {*job}, session, file->get());
  if (!ran) return fail_jobs(ran.error());
  const std::vector<const OutputPair*> pairs = session.outcomes().pairs();
  if (!options.csv.empty()) {
    if (Result<void> written = write_file(options.csv, output_pairs_csv(pairs)); !written)
      return fail(written.error());
  }
  if (options.json) std::printf("%s\n", output_pairs_json(pairs).c_str());
  int status = 0;
  for (const OutputPair* pair : pairs) {
    if (!options.json) print_pair(*pair);
    if (!pair->refusal.empty() || failed(pair->first_verdict.outcome) ||
        failed(pair->second_verdict.outcome))
      status = 1;
  }
  for (const auto& [number, submitted] : session.jobs()) {
    const auto done = session.done(number);
    if (done && done->error) return exit_status(done->error->kind);
  }
  return status;
}

}  // namespace warpscope
