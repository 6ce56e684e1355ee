// workbench/lessons/lesson_figures.cpp: the figures that a lesson's step quotes, measured if they
// are missing.
#include "workbench/lessons/lesson_figures.h"

#include <algorithm>
#include <vector>

#include "profiling/points/step_means.h"
#include "workbench/workspace/jobs/job_scheduler.h"
#include "workbench/workspace/jobs/live_jobs.h"
#include "workbench/workspace/scene/scene_words.h"
#include "workbench/workspace/trace_state.h"

namespace warpscope {
namespace {

constexpr double kRestS = 0.2;  // a configuration unchanged for this long is the step's
constexpr const char* kBeingMeasured = "… (being measured)";
constexpr double kLimitS =
    120;  // for an answer: compilation, check, timing and many counter passes

// A rate is counted bytes divided by a time. Metrics without counters come with the times.
bool needs_times(const std::string& id) {
  return counters_behind(id).empty() || id.starts_with("rate.");
}

// Whether one of these counters was not yet measured for the point.
bool lacks(const Measurement* point, const std::vector<std::string>& ids) {
  return point == nullptr || std::any_of(ids.begin(), ids.end(), [point](const std::string& id) {
           return find_value(point->metrics, id) == nullptr;
         });
}

}  // namespace

double LessonFigures::seconds_here() const {
  return std::chrono::duration<double>(Clock::now() - since_).count();
}

const Measurement* LessonFigures::point(const std::string& variant) const {
  return exact_point(workspace_.view().words.claims(), variant);
}

// The figures that the text may quote or compare.
std::vector<QuotedFigure> LessonFigures::figures(const std::string& words) const {
  return figures_in(with_ones(words), workspace_.scene(), workspace_.selection.axes);
}

const Job* LessonFigures::asked_job(const std::string& tag, const std::string& variant) const {
  const auto& jobs = workspace_.session().jobs();
  for (auto at = jobs.rbegin(); at != jobs.rend() && at->first > earlier_jobs_; ++at) {
    if (at->second.tag == tag + "/" + variant) return &at->second;
  }
  return nullptr;
}

LessonFigures::Standing LessonFigures::standing(const QuotedFigure& figure) const {
  const Measurement* at = point(figure.variant);
  const bool awaited = workspace_.view().engines.awaits(workspace_.scene().name, figure.variant);
  const bool timed = needs_times(figure.id), counted = !counters_behind(figure.id).empty();
  const auto value = at == nullptr ? std::nullopt : value_of(at->metrics, figure.id);
  if (value && (!at->partial || !timed)) return Standing::there;
  if (workspace_.view().recorded()) return Standing::lacking;
  const bool failed = at != nullptr && !at->partial && !has_figures(at->verdict.outcome);
  if (failed || seconds_here() > kLimitS) return value ? Standing::there : Standing::lacking;
  bool asked = false;
  for (const bool counters : {false, true}) {
    const std::string tag = quote_tag(counters ? "standard" : "none");
    if (!was_asked(tag, figure.variant) || !(counters ? counted : timed)) continue;
    asked = true;
    const Job* job = asked_job(tag, figure.variant);
    if (job == nullptr || !workspace_.session().done(job->job)) return Standing::on_its_way;
  }
  if (asked) return value ? Standing::there : Standing::lacking;
  return timed && !counted && awaited ? Standing::on_its_way : Standing::to_be_asked;
}

void LessonFigures::ask(const std::string& variant, const std::string& counters) {
  asked_.emplace(quote_tag(counters), variant);
  workspace_.requests.ask(request::Quote{variant, counters});
}

// Asks for the counters that the step quotes, and for its variant and baseline also for the set
// that it names.
void LessonFigures::ask_for_counters(const LessonStep& step, const std::string& variant) {
  std::vector<std::string> wanted;
  if (!step.counters.empty() && (variant == step.variant || variant == step.baseline)) {
    const auto ids = parse_counters(step.counters);
    if (ids && lacks(point(variant), *ids)) wanted.push_back(step.counters);
  }
  for (const QuotedFigure& figure : figures(quoted_words(step))) {
    if (figure.variant != variant || standing(figure) != Standing::to_be_asked) continue;
    for (std::string& id : counters_behind(figure.id)) wanted.push_back(std::move(id));
  }
  std::string list;
  std::set<std::string> listed;
  for (const std::string& id : wanted) {
    if (listed.insert(id).second) list += (list.empty() ? "" : ",") + id;
  }
  if (!list.empty() && list != "none") ask(variant, list);
}

void LessonFigures::update(const LessonStep& step) {
  if (const std::string here = workspace_.view().key(); step_ != &step || here != key_) {
    step_ = &step;
    key_ = here;
    since_ = Clock::now();
    asked_.clear();
    told_.clear();
    const auto& jobs = workspace_.session().jobs();
    earlier_jobs_ = jobs.empty() ? 0 : jobs.back().first;
  }
  if (workspace_.view().recorded() || seconds_here() < kRestS) return;
  std::vector<std::string> variants = {step.variant, step.baseline};
  for (const QuotedFigure& figure : figures(quoted_words(step))) variants.push_back(figure.variant);
  std::set<std::string> untimed;  // variants whose times are to be asked for
  for (const QuotedFigure& figure : figures(quoted_words(step))) {
    if (standing(figure) == Standing::to_be_asked && needs_times(figure.id) &&
        !workspace_.view().engines.awaits(workspace_.scene().name, figure.variant))
      untimed.insert(figure.variant);
  }
  for (const std::string& variant : variants) {
    if (!variant.empty() && !was_asked(quote_tag("standard"), variant))
      ask_for_counters(step, variant);
  }
  for (const std::string& variant : untimed) {
    if (!was_asked(quote_tag("none"), variant)) ask(variant, "none");
  }
}

bool LessonFigures::is_coming(const std::string& words) const {
  const std::vector<QuotedFigure> wanted = figures(words);
  return std::any_of(wanted.begin(), wanted.end(), [this](const QuotedFigure& figure) {
    const Standing standing = this->standing(figure);
    return standing == Standing::on_its_way || standing == Standing::to_be_asked;
  });
}

bool LessonFigures::pending(const LessonStep& step) const {
  if (workspace_.view().recorded()) return false;
  if (step_ != &step || seconds_here() < kRestS) return !figures(quoted_words(step)).empty();
  const auto told = told_.find(step.text);
  return is_coming(quoted_words(step)) || (told != told_.end() && told->second.waits);
}

std::optional<std::string> LessonFigures::instead_of(const QuotedFigure& figure) const {
  const Variant* variant = find_variant(workspace_.scene(), figure.variant);
  if (variant == nullptr) return std::nullopt;
  const bool counted = !counters_behind(figure.id).empty();
  switch (standing(figure)) {
    case Standing::there:
      return std::nullopt;
    case Standing::on_its_way:
    case Standing::to_be_asked:
      return counted ? "… (being counted)" : kBeingMeasured;
    case Standing::lacking:
      break;
  }
  if (workspace_.view().recorded()) {
    if (point(figure.variant) != nullptr) return std::nullopt;
    std::string nearest;
    if (const RecordedStops* stops = workspace_.view().points.stops();
        stops != nullptr && stops->nearest) {
      for (const AxisMove& move : stops->nearest->moves)
        nearest += (nearest.empty() ? "" : ", ") + move.axis + "=" + to_text(move.to);
    }
    return "– (" + variant->label + " is not recorded at this configuration" +
           (nearest.empty() ? "" : "; the nearest stop is " + nearest) + ")";
  }
  if (const auto trouble = workspace_.view().engines.trouble())
    return "– (" + sentence(*trouble) + ")";
  for (const bool counters : {false, true}) {
    const Job* job = asked_job(quote_tag(counters ? "standard" : "none"), figure.variant);
    const auto done = job == nullptr ? std::nullopt : workspace_.session().done(job->job);
    if (job != nullptr && !done) return "– (no answer within 120 s)";
    if (done && done->error) return "– (" + sentence(*done->error) + ")";
    if (done && done->status == DoneStatus::cancelled) return "– (it was cancelled)";
  }
  return std::nullopt;
}

std::optional<TraceNames> LessonFigures::traced() const {
  const TraceState found = trace_state(workspace_.view(), workspace_.selection.variant);
  if (found.trace == nullptr || found.freshness != Freshness::fresh) return std::nullopt;
  return trace_names(*found.trace, workspace_.selection.trace);
}

LessonFigures::Told LessonFigures::told_again(const std::string& words,
                                              std::optional<TraceNames> traced) {
  const TraceState found = trace_state(workspace_.view(), workspace_.selection.variant);
  const bool emulates = found.freshness == Freshness::pending ||
                        (!found.failure && workspace_.view().engines.has_emulator());
  const std::string missing =
      emulates ? "… (being emulated)"
               : "– (" + (found.failure ? sentence(*found.failure) : "it is not emulated") + ")";
  bool waits = false;
  std::string text = resolve(
      names_trace(words) ? filled_from_trace(words, traced ? &*traced : nullptr, missing) : words,
      workspace_.view().words.claims(),
      [this](const QuotedFigure& figure) { return instead_of(figure); },
      [&](const ClaimFigureText& figure) {
        // Roofs and points of a sweep come later than what the step itself asks for.
        const bool follows = is_coming(words) || workspace_.view().live.awaits_roofs() ||
                             workspace_.view().jobs.sweep_progress().running();
        waits = waits || follows;
        return follows ? std::string(kBeingMeasured) : "– (" + figure.why + ")";
      });
  return {key(),
          workspace_.session().revision(),
          workspace_.view().opened.openings(),
          workspace_.view().recorded(),
          std::move(traced),
          Clock::now(),
          std::move(text),
          waits};
}

const std::string& LessonFigures::text(const std::string& words) {
  // On a device, the text also changes with time while figures are being measured.
  constexpr double kStaleS = 0.2;
  std::optional<TraceNames> names;
  if (names_trace(words)) names = traced();
  const auto found = told_.find(words);
  if (found != told_.end()) {
    const Told& told = found->second;
    const double age = std::chrono::duration<double>(Clock::now() - told.at).count();
    const bool same = told.key == key() && told.revision == workspace_.session().revision() &&
                      told.openings == workspace_.view().opened.openings() &&
                      told.recorded == workspace_.view().recorded() && told.traced == names;
    if (same && (workspace_.view().recorded() || age < kStaleS)) return told.text;
  }
  return told_.insert_or_assign(words, told_again(words, std::move(names))).first->second.text;
}

}  // namespace warpscope
