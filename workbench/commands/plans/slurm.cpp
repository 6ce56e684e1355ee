// workbench/commands/plans/slurm.cpp: a plan as an array job of Slurm.
#include "workbench/commands/plans/slurm.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <vector>

#include "profiling/plans/plan_costs.h"
#include "scenes/host/program.h"
#include "scenes/host/write_file.h"
#include "workbench/client/program_catalogue.h"
#include "workbench/commands/plans/device_team.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

std::string in_shell(const std::string& word) {
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

// The path without its ending, of the plan and of what is named after it.
std::string stem_of(const std::string& plan) {
  return fs::absolute(plan).lexically_normal().replace_extension().string();
}

std::string count_text(int count) { return std::to_string(count); }

std::optional<double> whole_number(std::string_view text) {
  int number = 0;
  const char* const end = text.data() + text.size();
  const auto [last, wrong] = std::from_chars(text.data(), end, number);
  if (wrong != std::errc() || last != end || number < 0) return std::nullopt;
  return number;
}

}  // namespace

std::string sbatch_script(const PlannedSweep& sweep, const SlurmOptions& options,
                          const std::string& program, const std::string& folder) {
  const std::string stem = stem_of(sweep.plan), tasks = count_text(options.tasks);
  std::string script = "#!/bin/bash\n";
  const auto directive = [&script](const std::string& words) {
    script += "#SBATCH " + words + "\n";
  };
  directive("--job-name=warpscope-" + fs::path(stem).filename().string());
  directive("--array=1-" + tasks);
  if (!options.partition.empty()) directive("--partition=" + options.partition);
  if (!options.gres.empty() && options.gres != "none") directive("--gres=" + options.gres);
  if (!options.time.empty()) directive("--time=" + options.time);
  directive("--requeue");
  directive("--open-mode=append");
  directive("--signal=B:TERM@60");
  directive("--chdir=" + folder);
  directive("--output=" + stem + "-%a-of-" + tasks + ".log");
  script +=
      "# A task that runs again, or is submitted again, measures only points without an answer.\n";
  script += "exec " + in_shell(program) + " sweep --resume " +
            in_shell(fs::absolute(sweep.plan).lexically_normal().string()) +
            " \\\n  --chunk \"$SLURM_ARRAY_TASK_ID/" + tasks + "\" --devices " +
            in_shell(sweep.devices.empty() ? "all" : sweep.devices) +
            (sweep.roofs ? " --roofs" : "") + " \\\n  --session " + in_shell(stem + "-") +
            "\"$SLURM_ARRAY_TASK_ID\"" + in_shell("-of-" + tasks + ".wsj") + "\n";
  return script;
}

std::optional<double> slurm_seconds(std::string_view text) {
  if (text == "infinite" || text == "UNLIMITED") return std::numeric_limits<double>::infinity();
  constexpr double kDay = 86400;
  constexpr double kUnits[] = {3600, 60, 1};
  double seconds = 0;
  const std::size_t dash = text.find('-');
  const bool days = dash != std::string_view::npos;
  if (days) {
    const auto count = whole_number(text.substr(0, dash));
    if (!count) return std::nullopt;
    seconds = kDay * *count;
    text.remove_prefix(dash + 1);
  }
  std::vector<double> fields;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(':', begin), text.size());
    const auto field = whole_number(text.substr(begin, end - begin));
    if (!field) return std::nullopt;
    fields.push_back(*field);
    begin = end + 1;
  }
  if (fields.size() > std::size(kUnits)) return std::nullopt;
  // After days hours come first; else a number alone is minutes, and two are minutes and seconds.
  const std::size_t first = days || fields.size() == std::size(kUnits) ? 0 : 1;
  for (std::size_t i = 0; i < fields.size(); ++i) seconds += fields[i] * kUnits[first + i];
  return seconds;
}

Result<void> check_time_limit(const SlurmOptions& options, std::string_view partitions) {
  const auto wanted = slurm_seconds(options.time);
  if (!wanted) return {};  // sbatch says what is wrong with it
  for (std::size_t begin = 0; begin < partitions.size();) {
    const std::size_t end = std::min(partitions.find('\n', begin), partitions.size());
    const std::string_view line = partitions.substr(begin, end - begin);
    begin = end + 1;
    const std::size_t blank = line.rfind(' ');
    if (blank == std::string_view::npos) continue;
    std::string name(line.substr(0, blank));
    const std::string_view limit_text = line.substr(blank + 1);
    const bool usual = name.ends_with('*');
    if (usual) name.pop_back();
    if (options.partition.empty() ? !usual : name != options.partition) continue;
    const auto limit = slurm_seconds(limit_text);
    if (!limit || *wanted <= *limit) return {};
    return failure(ErrorKind::environment,
                   "the partition " + name + " allows jobs of at most " + std::string(limit_text) +
                       ", so this one would wait forever",
                   "--time " + options.time,
                   "ask for less time and use more --tasks, or choose a partition with a longer "
                   "limit (`sinfo -o '%P %l'`)");
  }
  return {};
}

Error error_of_sbatch(const OutsideRun& run, const SlurmOptions& options) {
  const std::string said = run.err;
  const auto has = [&said](const char* words) { return said.find(words) != std::string::npos; };
  Error error{ErrorKind::environment, "Slurm refused the job: " + run.last_word(), "sbatch", ""};
  if (run.not_found != 0) {
    error.what = "Slurm is not installed here: sbatch cannot be started";
    error.remedy = "run this on a login node of the cluster, or see the script with --dry-run";
  } else if (has("nvalid partition") || has("No partition specified")) {
    error.where = "--partition " + options.partition;
    error.remedy = "choose one that `sinfo -o %P` lists";
  } else if (has("nvalid --time") || has("nvalid time")) {
    error.where = "--time " + options.time;
    error.remedy = "write minutes, or hours:minutes:seconds";
  } else if (has("time limit")) {
    error.where = "--time " + options.time;
    error.remedy = "ask for less; `sinfo -o '%P %l'` lists the limits";
  } else if (has("ermission denied") || has("ccess") || has("nvalid account") ||
             has("not permitted") || has("Invalid qos")) {
    error.remedy =
        "name an account that may use it (SBATCH_ACCOUNT=…), or ask the cluster's "
        "administrator; `sacctmgr show assoc user=$USER` lists yours";
  } else if (has("node configuration") || has("generic resource") || has("gres")) {
    error.where = "--gres " + options.gres;
    error.remedy = "ask for what one node has; `sinfo -o '%P %G'` lists it";
  } else if (has("array specification") || has("Invalid job array")) {
    error.where = "--tasks " + count_text(options.tasks);
    error.remedy = "use fewer tasks; `scontrol show config | grep MaxArraySize` says how many";
  } else if (has("contact slurm controller") || has("configuration source") ||
             has("configuration file") || has("timed out") || has("Connection refused")) {
    error.remedy = "check with `scontrol ping` that Slurm runs and that SLURM_CONF is right";
  } else {
    error.remedy = "see the script with --dry-run, and try it with sbatch by hand";
  }
  return error;
}

int run_slurm(const PlannedSweep& sweep, const SlurmOptions& options) {
  const auto devices = parse_devices(sweep.devices, sweep.ssh, sweep.engine);
  if (!devices) return fail(devices.error());
  const auto catalogue = program_catalogue();
  const Result<Plan> plan = read_plan_to_run(*catalogue, sweep.plan);
  if (!plan) return fail(plan.error());
  std::error_code failed;
  const std::string program = fs::read_symlink("/proc/self/exe", failed).string();
  const std::string folder = fs::current_path(failed).string();
  const std::string script = sbatch_script(sweep, options, program, folder);
  if (options.dry_run) {
    std::printf("%s", script.c_str());
    return 0;
  }
  const std::string stem = stem_of(sweep.plan), path = stem + ".sbatch";
  if (Result<void> written = write_file(path, script); !written) return fail(written.error());
  if (!options.time.empty()) {
    const OutsideRun partitions = run_outside({"sinfo", "-h", "-o", "%P %l"});
    if (const auto fits = check_time_limit(options, partitions.out); !fits)
      return fail(fits.error());
  }
  const OutsideRun run = run_outside({"sbatch", "--parsable", path});
  if (run.status != 0) return fail(error_of_sbatch(run, options));
  const std::string job = run.out.substr(0, run.out.find_first_of(";\n"));
  const std::string sessions = stem + "-*-of-" + count_text(options.tasks) + ".wsj";
  if (sweep.json) {
    const json object = {
        {"job", job}, {"script", path}, {"tasks", options.tasks}, {"sessions", sessions}};
    std::printf("%s\n", object.dump(2, ' ', false, json::error_handler_t::replace).c_str());
    return 0;
  }
  std::printf("job %s: %d tasks for %zu points\n", visible_name(job).c_str(), options.tasks,
              plan->points.size());
  std::printf("watch it with `squeue -j %s`; the same command submits again what is left\n",
              visible_name(job).c_str());
  std::printf("then `warpscope merge %s --out %s.wsj`\n", visible_name(sessions).c_str(),
              visible_name(stem).c_str());
  return 0;
}

}  // namespace warpscope
