// profiling/session/roof_join.cpp: which roofs a point may be compared with: those of its own
// device.
#include "profiling/session/roof_join.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "profiling/messages/packed_text.h"
#include "scenes/host/paths.h"

namespace warpscope {
namespace {

const RoofSet* of_model(const Session& session, const std::string& device,
                        std::span<const RoofSet> lent) {
  if (device.empty()) return nullptr;
  const auto found =
      std::find_if(session.roof_sets().rbegin(), session.roof_sets().rend(),
                   [&](const RoofSet& set) { return set.conditions.device == device; });
  if (found != session.roof_sets().rend()) return &*found;
  for (const RoofSet& set : lent) {
    if (set.conditions.device == device) return &set;
  }
  return nullptr;
}

// Whether a card was measured before the roofs of DRAM were a family. Where the session has such
// roofs of another card, it is several joined, and the card's own points tell: sources were not
// recorded then.
bool is_old(const Session& session, const Conditions& card) {
  const auto& sets = session.roof_sets();
  if (std::none_of(sets.begin(), sets.end(), holds_mixes)) return true;
  bool measured = false;
  for (const Measurement* point : session.all_points()) {
    if (device_of(point->conditions).id() != device_of(card).id()) continue;
    if (!point->conditions.code_id.empty()) return false;
    measured = true;
  }
  return measured;
}

}  // namespace

RoofJoin join_roofs(const Session& session, const Conditions& point,
                    std::span<const RoofSet> lent) {
  for (const RoofSet& set : session.roof_sets()) {
    if (device_of(set.conditions).id() == device_of(point).id()) return {&set, ""};
  }
  for (const RoofSet& set : session.roof_sets()) {
    if (same_device(set.conditions, point)) return {&set, ""};
  }
  const RoofSet* other = is_old(session, point) ? of_model(session, point.device, lent) : nullptr;
  if (other != nullptr) {
    const Conditions& c = other->conditions;
    return {other, "roofs borrowed from another " + c.device +
                       (c.device_uuid.empty() ? "" : " (" + c.device_uuid.substr(0, 12) + "…)") +
                       ", recorded " + c.date.substr(0, 10) +
                       ": the session has no roofs of the measured card"};
  }
  return {nullptr, "no roofs of this device in the session" +
                       (point.device.empty() ? "" : " (" + point.device + ")") +
                       ": run `warpscope roofs --session FILE` on its machine"};
}

std::vector<RoofSet> recorded_roofs(const std::filesystem::path& folder) {
  std::vector<RoofSet> sets;
  std::error_code ignored;
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with(".wsj") || name.ends_with(".wsj.gz")) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  for (const std::filesystem::path& file : files) {
    // Parsing all of a recording would take as long as opening it, and its roofs come first.
    constexpr std::int64_t kMostBytes = 1LL << 30;
    Result<TextLines> lines = TextLines::open(file, kMostBytes);
    if (!lines) continue;
    while (const std::optional<std::string_view> line = lines->next()) {
      if (line->find("\"roofs\":") == std::string_view::npos) continue;
      Result<Message> message = parse_line(*line);
      if (!message || !std::holds_alternative<RoofSet>(*message)) continue;
      sets.push_back(std::move(std::get<RoofSet>(*message)));
      break;
    }
  }
  return sets;
}

std::vector<RoofSet> lent_roofs(const Session& session) {
  const auto& devices = session.devices();
  const bool lacks = std::any_of(devices.begin(), devices.end(), [&](const DeviceName& device) {
    Conditions card;
    card.device = device.name;
    card.device_uuid = device.uuid;
    return is_old(session, card) && join_roofs(session, card).roofs == nullptr;
  });
  const Result<std::filesystem::path> home = home_folder();
  return lacks && home ? recorded_roofs(*home / "assets/sessions") : std::vector<RoofSet>{};
}

}  // namespace warpscope
