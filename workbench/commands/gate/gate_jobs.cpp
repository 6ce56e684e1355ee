// workbench/commands/gate/gate_jobs.cpp: the jobs of a gate's kernels, and what is kept of their
// answers.
#include "workbench/commands/gate/gate_jobs.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <sstream>

#include "profiling/points/occupancy.h"
#include "scenes/host/input_file.h"
#include "scenes/host/program.h"
#include "workbench/commands/commands.h"
#include "workbench/commands/files/file_trace.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;

// On a busy machine a run that takes a second may take a minute, and a gate must not fail for that.
constexpr double kLimitS = 300;

bool has(const std::vector<int>& architectures, int wanted) {
  return std::find(architectures.begin(), architectures.end(), wanted) != architectures.end();
}

// Built-in scenes, and those of the person's own scene folder, go by their names; others are paths
// from the gate's folder.
std::string scene_place(const Catalogue& catalogue, const std::string& scene,
                        const std::string& folder) {
  const std::string name = scene.substr(0, scene.find('/'));
  const auto& known = catalogue.scenes();
  if (std::any_of(known.begin(), known.end(), [&](const Scene& s) { return s.name == name; }))
    return scene;
  std::error_code ignored;
  const fs::path there = fs::absolute(fs::path(folder) / scene, ignored).lexically_normal();
  const bool is_path =
      fs::exists(there, ignored) || (name != scene && fs::exists(there.parent_path(), ignored));
  return is_path ? there.string() : scene;
}

TraceJob asked_trace(const GateFile& file, const GateKernel& kernel) {
  TraceJob asked;
  asked.grid = true;
  asked.code = file.code;
  asked.threads = 1;
  asked.hashes = kernel.outputs;
  return asked;
}

Result<void> add_scene(Catalogue& catalogue, const GateFile& file, const GateKernel& kernel,
                       const std::string& folder, const EngineChoice& engine,
                       std::vector<GateJob>& jobs) {
  const std::string what = scene_place(catalogue, kernel.scene, folder);
  const Result<SceneAndVariants> chosen = variants_argument(catalogue, what);
  if (!chosen) return tl::unexpected(chosen.error());
  if (Result<void> admitted = admit_own_axes(*chosen, kernel.axes); !admitted) return admitted;
  const Scene& scene = *chosen->scene;
  const Result<Configuration> typed =
      with_values(scene.axes, default_configuration(scene.axes), kernel.axes);
  if (!typed) return tl::unexpected(typed.error());
  const bool several = chosen->variants.size() > 1;
  const std::size_t before = jobs.size();
  for (const Variant* variant : chosen->variants) {
    if (several && (!variant->own_kernels || !applies(*variant, *typed))) continue;
    GateJob job;
    job.kernel = kernel.name + (several ? "/" + variant->name : "");
    job.what = what;
    job.asked = &kernel;
    job.whole_scene = several && chosen->variants.size() == scene.variants.size();
    job.job.hang_limit_s = engine.limit_s.value_or(kLimitS);
    job.job.scene = scene.name;
    job.job.variant = variant->name;
    job.job.axes = kernel.axes;
    // Registers first: machine code is made of PTX, which the trace then finds in the cache.
    job.job.work = RegistersJob{file.architectures};
    jobs.push_back(job);
    if (!has(file.architectures, kGateEmulated)) continue;
    job.job.work = asked_trace(file, kernel);
    jobs.push_back(std::move(job));
  }
  if (jobs.size() == before)
    return failure(ErrorKind::usage, "no variant of the scene has kernels at these axes",
                   kernel.scene, "name a variant: SCENE/VARIANT");
  return {};
}

Result<void> add_launch(const GateFile& file, const GateKernel& kernel, const std::string& folder,
                        const EngineChoice& engine, std::vector<GateJob>& jobs) {
  if (!has(file.architectures, kGateEmulated)) return {};
  FileTraceOptions options;
  options.launch_file = (fs::path(folder) / kernel.launch).string();
  for (const auto& [name, value] : kernel.axes) options.values.push_back(name + "=" + value);
  Result<FileTrace> trace = file_trace(options, engine);
  if (!trace) return tl::unexpected(trace.error());
  GateJob job;
  job.kernel = kernel.name;
  job.asked = &kernel;
  job.job = std::move(trace->job);
  job.job.work = asked_trace(file, kernel);
  job.job.hang_limit_s = engine.limit_s.value_or(kLimitS);
  UserKernel& user = *job.job.user;
  std::set<std::string> known;
  for (UserOutput& output : user.outputs) {
    output.out_file.clear();  // a gate writes nothing of the kernel's
    known.insert(output.buffer);
  }
  for (const auto& [name, words] : user.buffers) {
    if (known.insert(name).second) user.outputs.push_back({.buffer = name});
  }
  jobs.push_back(std::move(job));
  return {};
}

std::string trimmed(std::string text) {
  constexpr std::string_view kSpace = " \t\r";
  text.erase(std::min(text.find_last_not_of(kSpace) + 1, text.size()));
  text.erase(0, std::min(text.find_first_not_of(kSpace), text.size()));
  constexpr std::size_t kMostBytes = 160;
  if (text.size() > kMostBytes) {
    std::size_t end = kMostBytes;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
    text.resize(end);
  }
  return text;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(visible_name(trimmed(line)));
  return lines;
}

// Each launch of a kernel has another step on an architecture. A kernel with one launch has none.
void name_steps(std::vector<GateRecord>& records) {
  std::map<std::pair<int, std::string>, int> launches;
  std::map<std::string, int> seen;
  for (GateRecord& record : records) {
    ++launches[{record.architecture, record.kernel}];
    const int times = ++seen[std::to_string(record.architecture) + name_of(record)];
    if (times > 1) record.step += " (" + std::to_string(times) + ")";
  }
  for (GateRecord& record : records) {
    if (launches[{record.architecture, record.kernel}] == 1) record.step.clear();
  }
}

}  // namespace

std::string folder_of_gate(const std::string& path) {
  return fs::path(path).parent_path().string();
}

Result<std::vector<GateJob>> gate_jobs(Catalogue& catalogue, const GateFile& file,
                                       const std::string& path, const EngineChoice& engine) {
  const std::string folder = folder_of_gate(path);
  std::vector<GateJob> jobs;
  for (const GateKernel& kernel : file.kernels) {
    const Result<void> added = kernel.launch.empty()
                                   ? add_scene(catalogue, file, kernel, folder, engine, jobs)
                                   : add_launch(file, kernel, folder, engine, jobs);
    if (added) continue;
    Error error = added.error();
    error.where =
        path + ":" + std::to_string(kernel.line) + (error.where.empty() ? "" : ": " + error.where);
    return tl::unexpected(std::move(error));
  }
  if (jobs.empty())
    return failure(ErrorKind::input, "a launch file is emulated for sm_90 alone", path,
                   "add 90 to architectures");
  return jobs;
}

std::string GateAnswers::text_of_line(const std::string& scene, const std::string& file, int line) {
  const auto [found, fresh] = lines_.try_emplace(scene + "\n" + file);
  std::vector<std::string>& lines = found->second;
  if (fresh && !scene.empty()) {
    const auto sources = catalogue_.sources_of(scene);
    for (const KernelSource& source : sources ? **sources : std::vector<KernelSource>{}) {
      if (source.path == file) lines = lines_of(source.text);
    }
  } else if (fresh) {
    if (const auto text = read_input(file, kMostTextFileBytes)) lines = lines_of(*text);
  }
  const auto index = static_cast<std::size_t>(line - 1);
  return line > 0 && index < lines.size() ? lines[index] : "";
}

void GateAnswers::take(const Message& message) {
  if (const auto* hello = std::get_if<Hello>(&message)) toolkit_ = hello->toolkit;
  if (const auto* made = std::get_if<Compilation>(&message)) compilations_.push_back(*made);
  const auto* trace = std::get_if<Trace>(&message);
  if (trace == nullptr) return;
  if (const Fault* stop = stop_at_limit(*trace)) stopped_.push_back({trace->job, stop->sentence});
  GateRecord record = gate_record_of(*trace, "", [&](const std::string& file, int line) {
    return text_of_line(trace->scene, file, line);
  });
  record.step = trace->step;
  // The recorded part is the same wherever the folder is.
  for (GateLine& line : record.lines) {
    if (fs::path(line.file).is_absolute())
      line.file = fs::proximate(line.file, folder_.empty() ? "." : folder_).generic_string();
  }
  traced_.emplace_back(trace->job, std::move(record));
}

bool GateAnswers::is_answered(std::int64_t number, const Job& job) const {
  if (const auto* registers = job.as<RegistersJob>())
    return std::count_if(compilations_.begin(), compilations_.end(), [&](const Compilation& made) {
             return made.job == number;
           }) == std::ssize(registers->architectures);
  return std::any_of(traced_.begin(), traced_.end(),
                     [&](const auto& traced) { return traced.first == number; });
}

std::vector<GateRecord> GateAnswers::emulated(
    const std::map<std::int64_t, const GateJob*>& jobs) const {
  std::vector<GateRecord> records;
  for (const auto& [number, traced] : traced_) {
    const auto job = jobs.find(number);
    if (job == jobs.end()) continue;
    GateRecord& record = records.emplace_back(traced);
    record.architecture = kGateEmulated;
    record.kernel = job->second->kernel;
    if (!job->second->asked->outputs) record.outputs.clear();
  }
  return records;
}

std::vector<GateRecord> GateAnswers::compiled(const std::map<std::int64_t, const GateJob*>& jobs,
                                              int architecture) {
  std::vector<GateRecord> records;
  for (const Compilation& made : compilations_) {
    const auto job = jobs.find(made.job);
    if (made.compute_capability != architecture || job == jobs.end()) continue;
    const std::string& kernel = job->second->kernel;
    const auto note = [&](const std::string& why) {
      notes_.push_back(kernel + " has no registers for " + architecture_name(architecture) + ": " +
                       why);
    };
    if (!made.refusal.empty()) note(made.refusal);
    for (const StepRecord& step : made.steps) {
      if (step.phase != Phase::run) continue;
      if (!step.resources) {
        note(step.refusal);
        continue;
      }
      GateRecord& record = records.emplace_back();
      record.architecture = architecture;
      record.kernel = kernel;
      record.step = step.name;
      add_compiled(record, step);
    }
  }
  return records;
}

Result<GateRecords> GateAnswers::records(const std::map<std::int64_t, const GateJob*>& jobs,
                                         const std::vector<int>& architectures) {
  if (!stopped_.empty())
    return failure(ErrorKind::resource, stopped_.front().sentence,
                   jobs.at(stopped_.front().job)->kernel,
                   "choose smaller sizes, or raise the limit with --limit");
  for (const auto& [number, job] : jobs) {
    if (is_answered(number, job->job)) continue;
    return failure(ErrorKind::environment, "the emulator gave no answer", job->kernel,
                   "see `warpscope doctor`, then run it again");
  }
  GateRecords all;
  all.toolkit = toolkit_;
  for (const int architecture : architectures) {
    std::vector<GateRecord> registers = compiled(jobs, architecture);
    if (architecture != kGateEmulated) {
      std::move(registers.begin(), registers.end(), std::back_inserter(all.records));
      continue;
    }
    for (GateRecord& record : emulated(jobs)) {
      for (const GateRecord& other : registers) {
        if (other.kernel == record.kernel && other.step == record.step)
          record.counts.insert(other.counts.begin(), other.counts.end());
      }
      all.records.push_back(std::move(record));
    }
  }
  name_steps(all.records);
  return all;
}

}  // namespace warpscope
