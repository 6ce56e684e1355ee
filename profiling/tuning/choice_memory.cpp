// profiling/tuning/choice_memory.cpp: what timed candidates of automatic rows took on this user's
// devices.
#include "profiling/tuning/choice_memory.h"

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "profiling/messages/json_codec.h"
#include "scenes/base/source.h"
#include "scenes/host/clock.h"

namespace warpscope {
namespace {

constexpr const char* kShelf = "choices";
constexpr std::size_t kMostKnown = 4096;

std::string file_of(const std::string& place) { return hash_of(place) + ".json"; }

std::string text_of(const std::string& place, const KnownChoice& choice) {
  PickedRow picked;
  picked.reason = PickReason::measured;
  picked.tried = choice.tried;
  const nlohmann::json object = {{"place", place},
                                 {"date", now_utc()},
                                 {"finished", choice.finished},
                                 {"picked", encode(picked)}};
  return object.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

// No value: the text is damaged. Nothing tried: it is whole, and of another place.
std::optional<KnownChoice> choice_of(const std::string& text, const std::string& place) {
  try {
    const nlohmann::json object = nlohmann::json::parse(text);
    if (object.at("place").get<std::string>() != place) return KnownChoice{};
    PickedRow picked;
    decode(object.at("picked"), picked);
    KnownChoice choice{std::move(picked.tried), object.at("finished").get<bool>()};
    if (choice.tried.empty()) return std::nullopt;
    for (const TriedRow& tried : choice.tried) {
      if (tried.row.variant.empty() || (tried.ns && !(*tried.ns > 0))) return std::nullopt;
    }
    return choice;
  } catch (const nlohmann::json::exception&) {
  } catch (const std::length_error&) {
  }
  return std::nullopt;
}

}  // namespace

std::string to_text(const ChoicePlace& place) {
  std::string text = place.device + ", compute capability " +
                     std::to_string(place.compute_capability) + ", driver " + place.driver + "\n" +
                     place.scene + "/" + place.row + " at " + place.problem + "\n";
  for (const auto& [name, value] : place.facts)
    text += name + "=" + nlohmann::json(value).dump() + " ";
  return text + "\n" + place.candidates;
}

ChoiceMemory::ChoiceMemory() {
  Result<Cache> cache = Cache::open(kMostBytes);
  if (cache) {
    cache_ = std::move(*cache);
  } else {
    refusal_ = sentence(cache.error()) + ". Times of candidates are forgotten at the end";
  }
}

std::optional<KnownChoice> ChoiceMemory::recall(const ChoicePlace& place) {
  constexpr std::int64_t kMostFileBytes = 1 << 20;
  const std::string at = to_text(place), name = file_of(at);
  if (!refusal_.empty()) notes_.push_back(std::exchange(refusal_, {}));
  if (const auto known = known_.find(at); known != known_.end()) return known->second;
  const auto text = cache_ ? cache_->read(kShelf, name, kMostFileBytes) : std::nullopt;
  if (!text) return std::nullopt;
  std::optional<KnownChoice> choice = choice_of(*text, at);
  if (!choice) {
    const std::string aside = name + ".damaged";
    cache_->rename(kShelf, name, aside);
    notes_.push_back("the file " + (cache_->folder() / kShelf / name).string() +
                     " is damaged: it is now " + aside + ", and the candidates are timed again");
    return std::nullopt;
  }
  if (choice->tried.empty()) return std::nullopt;
  return choice;
}

void ChoiceMemory::keep(const ChoicePlace& place, const KnownChoice& choice) {
  const std::string at = to_text(place);
  if (known_.size() >= kMostKnown) known_.clear();
  known_[at] = choice;
  if (cache_) cache_->write(kShelf, file_of(at), text_of(at, choice));
}

CacheTurn ChoiceMemory::turn(const ChoicePlace& place) const {
  constexpr double kPatienceS = 20;  // three candidates are compiled and timed in less
  if (!cache_) return {};
  return cache_->turn(kShelf, file_of(to_text(place)), kPatienceS);
}

}  // namespace warpscope
