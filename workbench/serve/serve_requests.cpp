// workbench/serve/serve_requests.cpp: what each request of `warpscope serve` does.
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <system_error>

#include "profiling/export/verdicts.h"
#include "profiling/journal/fork_journal.h"
#include "profiling/messages/json_codec.h"
#include "profiling/points/point.h"
#include "profiling/stalls/stall_export.h"
#include "profiling/stalls/stall_points.h"
#include "profiling/tuning/tuning.h"
#include "profiling/warps/warp_export.h"
#include "scenes/base/hard_case.h"
#include "scenes/catalogue.h"
#include "scenes/folder/fork/fork.h"
#include "scenes/host/input_file.h"
#include "workbench/commands/commands.h"
#include "workbench/serve/server.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// Numbers may be written as numbers.
Result<std::map<std::string, std::string>> axes_of(const ServeRequest& request) {
  std::map<std::string, std::string> axes;
  const auto found = request.fields.find("axes");
  if (found == request.fields.end()) return axes;
  for (const auto& [name, value] : found->items()) {
    if (!value.is_string() && !value.is_number()) {
      return failure(ErrorKind::usage, "the value is neither a number nor a text", "axes." + name,
                     "write {\"" + name + "\": 128}");
    }
    axes[name] = value.is_string()            ? value.get<std::string>()
                 : value.is_number_unsigned() ? std::to_string(value.get<std::uint64_t>())
                 : value.is_number_integer()  ? std::to_string(value.get<std::int64_t>())
                                              : to_text(AxisValue(value.get<double>()));
  }
  for (const auto& [name, value] : axes) name_path(value);  // the client's own words
  return axes;
}

struct Asked {
  const Scene* scene = nullptr;
  const Variant* variant = nullptr;
  std::map<std::string, std::string> axes;
};

// A scene, or one and a variant of it, as its folder stands on the disk now. error: of a folder
// that does not open, though it did before.
Result<SceneAndVariants> chosen_of(Catalogue& catalogue, const std::string& text) {
  Result<SceneAndVariants> chosen = scene_argument(catalogue, text);
  if (!chosen) return chosen;
  const fs::path folder = catalogue.folder_of(chosen->scene->name);
  if (folder.empty()) return chosen;
  if (const Result<const Scene*> opened = catalogue.open_folder(folder); !opened)
    return tl::unexpected(opened.error());
  return scene_argument(catalogue, text);
}

Result<Asked> asked_of(Catalogue& catalogue, const ServeRequest& request,
                       const char* field = "variant") {
  const Result<SceneAndVariants> chosen = chosen_of(catalogue, request.text(field));
  if (!chosen) return tl::unexpected(chosen.error());
  if (chosen->variants.size() != 1)
    return failure(ErrorKind::usage, "it names no variant", field, "write SCENE/VARIANT");
  auto axes = axes_of(request);
  if (!axes) return tl::unexpected(axes.error());
  if (Result<void> own = admit_own_axes(*chosen, *axes); !own) return tl::unexpected(own.error());
  const Result<Configuration> good =
      configured(*chosen->scene, chosen->variants.front()->name, *axes);
  if (!good) return tl::unexpected(good.error());
  if (Result<void> admitted = chosen->scene->admit(*good); !admitted)
    return tl::unexpected(admitted.error());
  return Asked{chosen->scene, chosen->variants.front(), std::move(*axes)};
}

Job job_of(const Asked& asked, JobWork work) {
  Job job;
  job.work = std::move(work);
  job.scene = asked.scene->name;
  job.variant = asked.variant->name;
  job.axes = asked.axes;
  return job;
}

json listed(const Catalogue& catalogue, const Scene& scene) {
  json axes = json::array(), variants = json::array();
  for (const Axis& axis : scene.axes) {
    json row = {
        {"name", axis.name}, {"label", axis.label}, {"default", to_text(axis.default_value)}};
    if (!axis.choices.empty()) row["choices"] = axis.choices;
    if (axis.kind == AxisKind::integer || axis.kind == AxisKind::real)
      row["range"] = {axis.typed_minimum, axis.typed_maximum};
    if (!axis.of_variants.empty()) row["of_variants"] = axis.of_variants;
    axes.push_back(std::move(row));
  }
  for (const Variant& v : scene.variants) {
    json row = {{"name", v.name}, {"label", v.label}, {"own_kernels", v.own_kernels}};
    if (!v.parent.empty()) row["parent"] = v.parent;
    variants.push_back(std::move(row));
  }
  return {{"name", scene.name},
          {"title", scene.title},
          {"folder", catalogue.folder_of(scene.name).string()},
          {"axes", axes},
          {"variants", variants}};
}

json verdict_row(const PointId& point, const char* on, const Verdict& verdict, bool finding) {
  return {{"variant", point.scene + "/" + point.variant},
          {"key", point.key},
          {"on", on},
          {"outcome", to_text(verdict.outcome)},
          {"sentence", verdict.sentence},
          {"checked_elements", verdict.checked_elements},
          {"finding", finding}};
}

// A variant at its scene's hard cases.
Result<std::vector<Job>> hard_jobs(const Scene& scene, const Variant& variant) {
  const Result<std::vector<HardRun>> runs = hard_runs(scene, hard_cases_of(scene), {&variant});
  if (!runs) return tl::unexpected(runs.error());
  std::vector<Job> jobs;
  for (const HardRun& run : *runs) {
    jobs.push_back(job_of({&scene, &variant, run.axes}, VerifyJob{run.hard_case}));
  }
  return jobs;
}

void add_verdicts(const Session& session, const char* on, json& rows, bool& right) {
  for (const Measurement* m : session.all_points()) {
    const bool good =
        m->verdict.outcome == Outcome::correct || m->verdict.outcome == Outcome::nothing_to_do;
    const bool finding = !good && m->verdict.outcome != Outcome::no_reference;
    rows.push_back(verdict_row(id_of(*m), on, m->verdict, finding));
    right = right && good;
  }
  for (const HardVerdict* hard : session.outcomes().hard_verdicts()) {
    json row = verdict_row(hard->point, on, hard->verdict, hard->finding);
    row["case"] = hard->hard_case;
    if (hard->first_wrong) row["first_wrong"] = hard->first_wrong->at;
    rows.push_back(std::move(row));
    right = right && !hard->finding;
  }
}

}  // namespace

Result<json> list_scenes(Catalogue& catalogue, const ServeRequest& request) {
  json scenes = json::array();
  if (const std::string name = request.text("scene"); !name.empty()) {
    const Result<SceneAndVariants> chosen = scene_argument(catalogue, name);
    if (!chosen) return tl::unexpected(chosen.error());
    scenes.push_back(listed(catalogue, *chosen->scene));
  } else {
    static_cast<void>(catalogue.open_user_folders());
    for (const Scene* scene : catalogue.all()) scenes.push_back(listed(catalogue, *scene));
  }
  return json{{"scenes", scenes}};
}

Result<json> Server::fork(const ServeRequest& request) {
  const Result<Asked> asked = asked_of(*catalogue_, request);
  if (!asked) return tl::unexpected(asked.error());
  const Result<Fork> made = write_fork(*catalogue_, *asked->scene, *asked->variant,
                                       {request.text("to"), asked->axes, "\"to\""});
  if (!made) return tl::unexpected(made.error());
  const Result<const Scene*> opened = catalogue_->open_folder(made->folder);
  const Result<void> noted = opened ? note_fork(catalogue_, made->folder, (*opened)->name,
                                                made->variant, request.text("hypothesis"))
                                    : tl::unexpected(opened.error());
  if (!noted) {
    take_back(*made);
    return tl::unexpected(noted.error());
  }
  begun_.erase((*opened)->name);
  if (Result<void> begun = begin_journal((*opened)->name); !begun)
    return tl::unexpected(begun.error());
  return json{{"folder", made->folder.string()},
              {"scene", (*opened)->name},
              {"variant", made->variant},
              {"files", made->files}};
}

Result<json> Server::verify(const ServeRequest& request) {
  const Result<Asked> asked = asked_of(*catalogue_, request);
  if (!asked) return tl::unexpected(asked.error());
  std::vector<Job> jobs = {job_of(*asked, VerifyJob{})};
  if (request.fields.value("hard", false)) {
    Result<std::vector<Job>> hard = hard_jobs(*asked->scene, *asked->variant);
    if (!hard) return tl::unexpected(hard.error());
    jobs.insert(jobs.end(), hard->begin(), hard->end());
  }
  if (Result<void> begun = begin_journal(asked->scene->name); !begun)
    return tl::unexpected(begun.error());
  json rows = json::array();
  bool right = true;
  Session emulated(catalogue_), measured(catalogue_);
  if (Result<void> ran = work(emulator(), jobs, emulated); !ran) return tl::unexpected(ran.error());
  add_verdicts(emulated, "emulator", rows, right);
  if (const Result<EngineClient*> device = measurer()) {
    if (Result<void> ran = work(**device, {job_of(*asked, VerifyJob{})}, measured); !ran)
      return tl::unexpected(ran.error());
    add_verdicts(measured, "GPU", rows, right);
  }
  if (lines_.broken_off()) return failure(ErrorKind::resource, "cancelled", "request", "");
  json said = {{"verdicts", rows}, {"right", right && !rows.empty()}};
  if (noted_ != 0) said["iteration"] = noted_;
  return said;
}

Result<json> Server::trace(const ServeRequest& request) {
  const Result<Asked> asked = asked_of(*catalogue_, request);
  if (!asked) return tl::unexpected(asked.error());
  Session own(catalogue_);
  TraceJob whole;
  whole.code = TracedCode::best;
  if (Result<void> ran = work(emulator(), {job_of(*asked, std::move(whole))}, own); !ran)
    return tl::unexpected(ran.error());
  json steps = json::array();
  for (const Trace* trace : own.traces()) {
    json lines = json::array(), faults = json::array(), metrics = json::object();
    for (const LineTotals& line : trace->lines) {
      lines.push_back({{"file", line.position.file},
                       {"line", line.position.line},
                       {"instructions", line.instructions},
                       {"global_requests", line.global.requests},
                       {"global_sectors", line.global.sectors},
                       {"shared_requests", line.shared.requests},
                       {"shared_wavefronts", line.shared.wavefronts}});
    }
    for (const Fault& fault : trace->faults) {
      if (fault.kind != FaultKind::budget) faults.push_back(fault.sentence);
    }
    for (const MetricValue& metric : trace->metrics) {
      if (metric.value) metrics[metric.id] = *metric.value;
    }
    steps.push_back({{"step", trace->step},
                     {"file", trace->source},
                     {"entry", trace->entry},
                     {"of", scope_text(*trace)},
                     {"metrics", metrics},
                     {"lines", lines},
                     {"faults", faults}});
    if (const Fault* stopped = stop_at_limit(*trace)) steps.back()["stopped"] = stopped->sentence;
  }
  return json{{"steps", steps}};
}

Result<json> Server::measure(const ServeRequest& request) {
  const Result<Asked> asked = asked_of(*catalogue_, request);
  if (!asked) return tl::unexpected(asked.error());
  MeasureJob wanted;
  if (const std::string counters = request.text("counters"); !counters.empty())
    wanted.counters = counters;
  if (const auto good = parse_counters(wanted.counters); !good) return tl::unexpected(good.error());
  const Job job = job_of(*asked, std::move(wanted));
  Result<void> passed = begin_journal(asked->scene->name).and_then([&] {
    return gate(*asked->scene, *asked->variant);
  });
  if (!passed) return tl::unexpected(passed.error());
  const Result<EngineClient*> device = measurer();
  if (!device) return tl::unexpected(device.error());
  Session own(catalogue_);
  Result<void> ran = predict(*asked->scene, *asked->variant, job).and_then([&] {
    return work(**device, {job}, own);
  });
  if (!ran) return tl::unexpected(ran.error());
  json points = json::array();
  for (const Measurement* point : own.all_points()) points.push_back(encode(*point));
  json said = {{"points", points}};
  if (noted_ != 0) said["iteration"] = noted_;
  return said;
}

Result<json> Server::warps(const ServeRequest& request) {
  const Result<Asked> asked = asked_of(*catalogue_, request);
  if (!asked) return tl::unexpected(asked.error());
  const Result<EngineClient*> device = measurer();
  if (!device) return tl::unexpected(device.error());
  Session own(catalogue_);
  const WarpsJob wanted{.step = request.text("step"), .all = request.fields.value("all", false)};
  if (Result<void> ran = work(**device, {job_of(*asked, wanted)}, own); !ran)
    return tl::unexpected(ran.error());
  json kernels = json::array();
  for (const WarpTimeline* timeline : own.outcomes().warp_timelines())
    kernels.push_back(json::parse(warps_json(*timeline)));
  if (kernels.empty()) {
    for (const Measurement* point : own.all_points())
      return failure(ErrorKind::fault, point->verdict.sentence, request.text("variant"),
                     point->verdict.remedy);
  }
  return json{{"kernels", kernels}};
}

Result<json> Server::stalls(const ServeRequest& request) {
  const Result<Asked> asked = asked_of(*catalogue_, request);
  if (!asked) return tl::unexpected(asked.error());
  Session own(catalogue_);
  TraceJob traced;
  traced.grid = false;
  traced.sample_instructions = kUsualSampleInstructions;
  traced.code = TracedCode::machine_code;
  traced.dependencies = true;
  if (Result<void> ran = work(emulator(), {job_of(*asked, std::move(traced))}, own); !ran)
    return tl::unexpected(ran.error());
  bool modelled = request.fields.value("modelled", false);
  std::string why;
  if (!modelled) {
    // Samples in an engine that ends with this, then the counters of the levels of memory.
    const Result<void> sampled =
        [&]() -> Result<void> {
      EngineChoice sampling = engine_;
      sampling.samples = true;
      EngineClient sampler(engine_command(sampling), RestartPacing{}, numbers_, catalogue_);
      if (const auto device = with_device(sampler, lines_, session_); !device)
        return tl::unexpected(device.error());
      return work(
          sampler,
          {job_of(*asked, MeasureJob{.counters = std::string(kStallSampleSet), .time = false})},
          own);
    }()
                     .and_then([&]() -> Result<void> {
                       const Result<EngineClient*> device = measurer();
                       if (!device) return tl::unexpected(device.error());
                       return work(**device,
                                   {job_of(*asked, MeasureJob{.counters = kStallLevelCounters,
                                                              .time = false})},
                                   own);
                     });
    if (!sampled && sampled.error().kind != ErrorKind::environment)
      return tl::unexpected(sampled.error());
    modelled = !sampled.has_value();
    if (modelled) why = sentence(sampled.error());
  }
  json kernels = json::array();
  for (const Trace* trace : own.traces()) {
    const Result<StallReport> report =
        modelled ? stall_report({*trace}) : sampled_report(own, *trace);
    if (!report) return tl::unexpected(report.error());
    kernels.push_back(json::parse(stall_json(*report, *trace)));
  }
  json said = {{"kernels", kernels}};
  if (!why.empty()) said["why_modelled"] = why;
  return said;
}

Result<void> Server::gate(const Scene& scene, const Variant& variant) {
  const auto text = catalogue_->text(scene.name);
  // What a fork's ladder has besides the copies are built-in variants.
  const bool own = scene.fork_of.empty() || !variant.parent.empty();
  if (catalogue_->folder_of(scene.name).empty() || text == nullptr || !own || !variant.own_kernels)
    return {};
  const std::pair which(text->hash, variant.name);
  if (emulated_.passed.count(which) != 0) return {};
  const Result<std::vector<Job>> jobs = hard_jobs(scene, variant);
  if (!jobs) return tl::unexpected(jobs.error());
  Session said(catalogue_);
  if (Result<void> ran = work(emulator(), *jobs, said); !ran) return ran;
  for (const HardVerdict* hard : said.outcomes().hard_verdicts()) {
    if (!hard->finding) continue;
    return failure(ErrorKind::input,
                   hard->hard_case + " (" + hard->point.key +
                       "): " + to_text(hard->verdict.outcome) + ", " + hard->verdict.sentence,
                   scene.name + "/" + variant.name,
                   "no time without a correct output: verify it with \"hard\": true");
  }
  emulated_.passed.insert(which);
  return {};
}

Result<void> Server::predict(const Scene& scene, const Variant& variant, const Job& measured) {
  if (catalogue_->folder_of(scene.name).empty() || !variant.own_kernels) return {};
  const auto text = catalogue_->text(scene.name);
  const std::string key =
      configuration_key(scene.axes, *configured(scene, variant.name, measured.axes), variant.name);
  if (!emulated_.predicted.emplace(text ? text->hash : "", variant.name, key).second) return {};
  TraceJob sampled;
  sampled.grid = false;
  sampled.sample_instructions = kUsualSampleInstructions;
  sampled.code = TracedCode::best;
  const Job job = job_of({&scene, &variant, measured.axes}, std::move(sampled));
  Session said(catalogue_);
  return work(emulator(), {job}, said);
}

Result<json> Server::compare(const ServeRequest& request) {
  const Measurement* points[2] = {};
  const char* fields[] = {"baseline", "candidate"};
  for (int i = 0; i < 2; ++i) {
    const Result<Asked> asked = asked_of(*catalogue_, request, fields[i]);
    if (!asked) return tl::unexpected(asked.error());
    const Configuration axes = *configured(*asked->scene, asked->variant->name, asked->axes);
    const std::string key = configuration_key(asked->scene->axes, axes, asked->variant->name);
    const auto found = session_.points_at(asked->scene->name, asked->variant->name, key);
    for (const Measurement* point : found) {
      if (point->warm) points[i] = point;
    }
    if (points[i] == nullptr)
      return failure(ErrorKind::usage, "it was not measured here with a correct output",
                     request.text(fields[i]) + " at " + key, "measure it first, on a GPU");
  }
  const Comparison verdict = compare_times(*points[0], *points[1], CacheState::warm);
  return json{{"difference", to_text(verdict.difference)}, {"sentence", verdict.sentence}};
}

Result<json> Server::tune(const ServeRequest& request) {
  const Result<SceneAndVariants> chosen = chosen_of(*catalogue_, request.text("variant"));
  if (!chosen) return tl::unexpected(chosen.error());
  if (chosen->variants.size() != 1)
    return failure(ErrorKind::usage, "it names no variant", "variant", "write SCENE/VARIANT");
  const Scene& scene = *chosen->scene;
  const Variant& variant = *chosen->variants.front();
  const auto axes = axes_of(request);
  if (!axes) return tl::unexpected(axes.error());
  std::map<std::string, std::string> fixed, ranges;
  for (const auto& [name, value] : *axes) {
    const Axis* axis = find_axis(scene.axes, name);
    (axis != nullptr && !of_problem(*axis) ? ranges : fixed)[name] = value;
  }
  Result<Candidates> all = candidates_of(scene, variant, fixed, ranges);
  if (!all) return tl::unexpected(all.error());
  Result<void> passed = begin_journal(scene.name).and_then([&] { return gate(scene, variant); });
  if (!passed) return tl::unexpected(passed.error());
  const Result<EngineClient*> device = measurer();
  if (!device) return tl::unexpected(device.error());
  TuneBudget budget;
  if (const std::int64_t points = request.number("points"); points > 0)
    budget.points = static_cast<int>(points);
  budget.seconds = request.fields.value("seconds", budget.seconds);
  Tuning tuning(std::move(*all), budget);
  json points = json::array(), skipped = json::array();
  const auto start = std::chrono::steady_clock::now();
  while (const auto next = tuning.next(
             std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count())) {
    Job job = job_of({&scene, &variant, *next}, MeasureJob{});
    Session own(catalogue_);
    if (Result<void> ran = work(**device, {job}, own); !ran) return tl::unexpected(ran.error());
    for (const Measurement* point : own.all_points()) {
      tuning.tell(*point);
      points.push_back(encode(*point));
    }
  }
  for (const Candidates::Skipped& each : tuning.candidates().skipped)
    skipped.push_back({{"axes", each.axes}, {"reason", each.reason}});
  json said = {{"searched", tuning.candidates().searched},
               {"tried", tuning.tried()},
               {"candidates", tuning.candidates().points.size()},
               {"skipped", skipped},
               {"ended", tuning.why_it_ended()},
               {"points", points}};
  if (tuning.best() != nullptr) said["best"] = encode(*tuning.best());
  return said;
}

}  // namespace warpscope
