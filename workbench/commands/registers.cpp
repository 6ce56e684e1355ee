// workbench/commands/registers.cpp: what the compiler says of kernels on each architecture, without
// a GPU.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>

#include "profiling/export/compiled_table.h"
#include "profiling/figures/multiprocessor.h"
#include "scenes/host/write_file.h"
#include "workbench/client/program_catalogue.h"
#include "workbench/commands/commands.h"
#include "workbench/commands/files/compiled_kernels.h"
#include "workbench/commands/measured_table.h"

namespace warpscope {
namespace {

struct RegistersOptions {
  EngineChoice engine;
  std::string what, csv, session;
  std::vector<std::string> axes;
  std::vector<int> architectures;
  bool json = false;
};

std::string count(std::int64_t value) { return value == 0 ? "–" : std::to_string(value); }

// One row in columns that hold what variants and steps are called.
void print_row(const CompiledRow& row, std::size_t name_width) {
  const Compilation& made = *row.compilation;
  const std::string name =
      made.point.variant +
      (row.step == nullptr || made.steps.size() < 2 ? "" : " " + row.step->name);
  std::printf("%s  %s", padded(name, name_width).c_str(),
              padded(architecture_name(made.compute_capability), 8).c_str());
  if (row.step == nullptr || !row.step->resources) {
    std::printf("–  %s\n", row.sentence().c_str());
    return;
  }
  const KernelResources& r = *row.step->resources;
  const Launch& launch = row.step->launch;
  const std::string spills =
      r.spill_store_bytes + r.spill_load_bytes == 0
          ? "–"
          : std::to_string(r.spill_store_bytes) + "/" + std::to_string(r.spill_load_bytes);
  std::printf("%s%s%s%s%s%s", padded(std::to_string(r.registers_per_thread), 11).c_str(),
              padded(spills, 11).c_str(), padded(count(r.local_bytes_per_thread), 8).c_str(),
              padded(count(r.static_shared_bytes), 9).c_str(),
              padded(count(launch.dynamic_shared_bytes), 9).c_str(),
              padded(std::to_string(launch.block.x * launch.block.y * launch.block.z), 9).c_str());
  if (row.occupancy) {
    std::printf("%s%s%s\n", padded(std::to_string(row.occupancy->blocks), 8).c_str(),
                padded(format_value(row.occupancy->ratio, "ratio"), 10).c_str(),
                to_text(row.occupancy->limit));
  } else {
    std::printf("%s: %s%s\n", row.standing(), row.sentence().c_str(),
                row.remedy.empty() ? "" : (" " + row.remedy).c_str());
  }
}

void print_rows(const Catalogue& catalogue, const std::vector<const Compilation*>& compilations) {
  const std::vector<CompiledRow> rows = compiled_rows(catalogue, compilations);
  std::size_t width = 8;
  for (const CompiledRow& row : rows) {
    const bool several = row.step != nullptr && row.compilation->steps.size() > 1;
    width = std::max(
        width, row.compilation->point.variant.size() + (several ? row.step->name.size() + 1 : 0));
  }
  std::string key;
  for (const CompiledRow& row : rows) {
    const PointId& point = row.compilation->point;
    if (key.empty()) {
      std::printf("%s, toolkit %s, in bytes; registers, spills and local bytes per thread\n",
                  point.scene.c_str(), row.compilation->toolkit.c_str());
      std::printf("%s  %s%s%s%s%s%s%s%s%slimited by\n", padded("variant", width).c_str(),
                  padded("", 8).c_str(), padded("registers", 11).c_str(),
                  padded("st/ld", 11).c_str(), padded("local", 8).c_str(),
                  padded("static", 9).c_str(), padded("dynamic", 9).c_str(),
                  padded("threads", 9).c_str(), padded("blocks", 8).c_str(),
                  padded("occupancy", 10).c_str());
    }
    if (key != point.key) {
      key = point.key;
      std::printf("%s\n", point.key.c_str());
    }
    print_row(row, width);
  }
}

Result<std::vector<Job>> registers_jobs(Catalogue& catalogue, const RegistersOptions& options) {
  for (const int architecture : options.architectures) {
    const auto rows = all_architecture_limits();
    if (std::any_of(rows.begin(), rows.end(), [&](const ArchitectureLimits& row) {
          return row.compute_capability == architecture;
        }))
      continue;
    std::string known;
    for (const ArchitectureLimits& row : rows)
      known += (known.empty() ? "" : ", ") + std::to_string(row.compute_capability);
    return failure(ErrorKind::usage,
                   "there is no architecture sm_" + std::to_string(architecture) + " here",
                   "--arch", "choose from " + known);
  }
  const Result<SceneAndVariants> chosen = scene_argument(catalogue, options.what);
  if (!chosen) return tl::unexpected(chosen.error());
  const auto axes = axis_arguments(options.axes);
  if (!axes) return tl::unexpected(axes.error());
  if (Result<void> admitted = admit_own_axes(*chosen, *axes); !admitted)
    return tl::unexpected(admitted.error());
  const Scene& scene = *chosen->scene;
  const Result<Configuration> typed =
      with_values(scene.axes, default_configuration(scene.axes), *axes);
  if (!typed) return tl::unexpected(typed.error());
  std::vector<Job> jobs;
  for (const Variant* variant : chosen->variants) {
    if (chosen->variants.size() > 1 && (!variant->own_kernels || !applies(*variant, *typed)))
      continue;
    Job job;
    job.work = RegistersJob{options.architectures};
    job.hang_limit_s = options.engine.limit_s.value_or(job.hang_limit_s);
    job.scene = scene.name;
    job.variant = variant->name;
    job.axes = *axes;
    jobs.push_back(std::move(job));
  }
  return jobs;
}

int run_registers(const RegistersOptions& options) {
  if (list_machine_code_alone(options.what, options.json)) return 0;
  const auto catalogue = program_catalogue();
  Result<std::vector<Job>> jobs = registers_jobs(*catalogue, options);
  if (!jobs) return fail(jobs.error());
  Result<std::unique_ptr<SessionFile>> file = session_option(options.session, catalogue);
  if (!file) return fail(file.error());
  Session session(catalogue);
  const auto ran =
      run_jobs(emulator_command(options.engine), std::move(*jobs), session, file->get());
  const std::vector<const Compilation*> made = session.outcomes().compilations();
  if (!ran && made.empty()) return fail_jobs(ran.error());
  if (!options.csv.empty()) {
    if (Result<void> written = write_file(options.csv, compiled_csv(*catalogue, made)); !written)
      return fail(written.error());
  }
  if (options.json) {
    std::printf("%s\n", compiled_json(made).c_str());
  } else {
    print_rows(*catalogue, made);
  }
  if (!ran) return fail_jobs(ran.error());
  for (const auto& [number, job] : session.jobs()) {
    const auto done = session.done(number);
    if (done && done->error) return exit_status(done->error->kind);
  }
  return 0;
}

}  // namespace

void declare_registers(CLI::App& command, int& status) {
  auto options = std::make_shared<RegistersOptions>();
  command.add_option("scene", options->what, "SCENE or SCENE/VARIANT")->required();
  command.add_option("axes", options->axes, "axis=value");
  command
      .add_option("--arch", options->architectures,
                  "compute capabilities, joined by commas, such as 75,120; 80,86,89,90,100 unless "
                  "given")
      ->delimiter(',');
  declare_engine_options(command, options->engine);
  command.add_option("--session", options->session, "append everything to this .wsj file");
  command.add_option("--csv", options->csv, "write one CSV row per kernel and architecture");
  command.add_flag("--json", options->json, "print JSON");
  command.callback([options, &status] { status = run_registers(*options); });
}

}  // namespace warpscope
