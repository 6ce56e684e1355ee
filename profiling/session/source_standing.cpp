// profiling/session/source_standing.cpp: whether a figure is of today's source.
#include "profiling/session/source_standing.h"

#include <algorithm>

#include "scenes/base/texts/text_hash.h"
#include "scenes/catalogue.h"

namespace warpscope {
namespace {

constexpr std::size_t kShownDigits = 12;  // of a hash, in sentences

std::string shown(const std::string& id) { return id.substr(0, kShownDigits); }

// What a recording from before code_id says: the hashes of its kernels' texts.
SourceStanding of_texts(const Measurement& m, const SourceLookup& find) {
  bool recorded = false;
  for (const StepRecord& step : m.steps) {
    if (step.text_hash.empty()) continue;
    recorded = true;
    const auto now = find(step.source);
    if (!now) {
      return {SourceState::unrecorded,
              "its source was not recorded, and kernels/" + step.source + " is no longer there"};
    }
    if (!text_hashes_of(*now).include(step.text_hash)) {
      return {SourceState::unrecorded, "its source was not recorded; the text of kernels/" +
                                           step.source +
                                           " has changed since, at least in its comments or line "
                                           "breaks"};
    }
  }
  if (!recorded) return {SourceState::unrecorded, "its source was not recorded"};
  return {SourceState::unrecorded,
          "its source was not recorded, only its kernels' lines of code, which have not changed"};
}

}  // namespace

const char* to_text(SourceState state) {
  switch (state) {
    case SourceState::same:
      return "today's source";
    case SourceState::changed:
      return "earlier source";
    case SourceState::unrecorded:
      return "source not recorded";
    case SourceState::unknown:
      break;
  }
  return "source unknown here";
}

SourceStandings::SourceStandings(const Catalogue& catalogue)
    : SourceStandings(catalogue, catalogue.source_lookup()) {}

void SourceStandings::hear(const Hello& hello) {
  for (const Capability& capability : hello.capabilities) {
    if (!capability.available || capability.version.empty()) continue;
    std::string& version = versions_[capability.name];
    if (version != capability.version) known_.clear();
    version = capability.version;
  }
}

const SourceStandings::Texts& SourceStandings::texts_of(const std::string& path) {
  constexpr std::chrono::milliseconds kKeptFor(250);
  const auto now = std::chrono::steady_clock::now();
  const auto found = texts_.find(path);
  if (found == texts_.end()) return texts_.emplace(path, Texts{read_(path), now}).first->second;
  Texts& texts = found->second;
  if (now - texts.at < kKeptFor) return texts;
  texts.at = now;
  Result<std::vector<KernelSource>> read = read_(path);
  const bool same = read.has_value() == texts.read.has_value() && (!read || *read == *texts.read);
  if (!same) ++texts.changes;
  texts.read = std::move(read);
  return texts;
}

bool SourceStandings::holds(const Known& known) {
  return std::all_of(known.changes.begin(), known.changes.end(), [this](const auto& file) {
    return texts_of(file.first).changes == file.second;
  });
}

std::optional<std::string> SourceStandings::current_code_id(const Scene& scene,
                                                            const Variant& variant,
                                                            const Workload& workload) {
  std::string place = scene.name + "/" + variant.name;
  for (const auto& [axis, value] : workload.axes.values())
    place += "/" + axis + "=" + to_text(value);
  return id_at(place, variant, workload.axes, workload.facts);
}

std::optional<std::string> SourceStandings::id_at(const std::string& place, const Variant& variant,
                                                  const Configuration& axes, const Facts& facts) {
  constexpr std::size_t kMostKnown = 4096;
  const auto found = known_.find(place);
  if (found != known_.end() && found->second.variant == &variant && found->second.facts == facts &&
      holds(found->second))
    return found->second.id;
  if (known_.size() >= kMostKnown) known_.clear();
  const auto version = [this](std::string_view library) -> std::optional<std::string> {
    const auto heard = versions_.find(library);
    if (heard == versions_.end()) return std::nullopt;
    return heard->second;
  };
  Known known{{}, &variant, facts, {}};
  const auto read = [&](const std::string& path) {
    const Texts& texts = texts_of(path);
    known.changes[path] = texts.changes;
    return texts.read;
  };
  known.id = warpscope::current_code_id(variant, {axes, facts}, read, version);
  return (known_[place] = std::move(known)).id;
}

SourceStanding SourceStandings::of(const Measurement& m) {
  if (m.conditions.code_id.empty()) return of_texts(m, catalogue_.source_lookup());
  const Result<const Scene*> scene = catalogue_.find(m.scene);
  // A row that was picked by times is not what the table takes.
  const bool by_times = m.picked && m.picked->reason != PickReason::table;
  const auto [variant, workload] =
      !scene     ? RanRow{}
      : by_times ? ran_row(**scene, m)
                 : RanRow{find_variant(**scene, m.variant), {m.axes, m.facts}};
  if (variant == nullptr)
    return {SourceState::unknown, "there is no variant " + m.scene + "/" + m.variant + " today"};
  // The key is made of the axes, and shorter than all of them as text.
  const auto now =
      id_at(m.scene + "/" + m.variant + "/" + m.key, *variant, workload.axes, workload.facts);
  if (!now) {
    return {SourceState::unknown,
            calls_library(m)
                ? "only a running engine knows which version of its library is installed"
                : "today's source is unknown at this configuration"};
  }
  if (*now == m.conditions.code_id)
    return {SourceState::same, "it was measured with today's source"};
  return {SourceState::changed, "measured with an earlier source: " + shown(m.conditions.code_id) +
                                    " then, " + shown(*now) + " now"};
}

std::vector<SourceFinding> earlier_sources(const Session& session) {
  // The engine of the recording says nothing of libraries here.
  SourceStandings standings(session.catalogue());
  std::vector<SourceFinding> findings;
  for (const Measurement* m : session.all_points()) {
    SourceStanding standing = standings.of(*m);
    if (standing.state == SourceState::changed || standing.state == SourceState::unrecorded)
      findings.push_back({m, std::move(standing)});
  }
  return findings;
}

}  // namespace warpscope
