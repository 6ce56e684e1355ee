// workbench/commands/measured_table.cpp: measured points on standard output, below their roofs;
// verdicts.
#include "workbench/commands/measured_table.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "profiling/figures/time_unit.h"
#include "profiling/overview/limiting_roof.h"
#include "profiling/points/derive.h"
#include "profiling/session/baselines.h"
#include "scenes/catalogue.h"
#include "scenes/host/program.h"
#include "workbench/client/own_binary.h"

namespace warpscope {
namespace {

// In the unit of the shortest time of the table.
std::string time_text(const std::optional<Timing>& timing, double shortest_ns) {
  return timing ? time_beside(timing->median_ns, shortest_ns) : "–";
}

// "412 GB/s model", "3950 GB/s counted": DRAM bytes over the warm time, and whose bytes they are.
std::string dram_text(const Measurement& m) {
  const std::optional<DramRate> rate = dram_rate(m, CacheState::warm);
  if (!rate) return "–";
  char text[48];
  std::snprintf(text, sizeof text, "%.4g GB/s %s", rate->value / 1e9,
                rate->bytes_origin == Origin::measured ? "counted" : "model");
  return text;
}

// Where a point stands below the roofs of its device, and what is to be said below the table.
struct OfRoof {
  std::string cell = "–";  // "82.1 % L2": how much of the roof that limits the warm time is used
  std::string why;         // no roof is named, or the point is above one; empty: nothing to say
  bool above = false;
};

OfRoof of_roof(const Measurement& m, const Session& session) {
  if (session.roofs() == nullptr) return {};
  const LimitingRoof roof = limiting_roof(session, m, CacheState::warm);
  return {roof.limits || roof.above ? to_text(roof) : "–", as_option(roof.why), roof.above};
}

// Why no roof is named, and of which variants that is so, in the order of the table.
using Reasons = std::vector<std::pair<std::string, std::vector<std::string>>>;

void add(Reasons& reasons, const std::string& why, const std::string& variant) {
  if (why.empty()) return;
  auto found = std::find_if(reasons.begin(), reasons.end(),
                            [&](const auto& each) { return each.first == why; });
  if (found == reasons.end()) found = reasons.insert(found, {why, {}});
  std::vector<std::string>& variants = found->second;
  if (std::find(variants.begin(), variants.end(), variant) == variants.end())
    variants.push_back(variant);
}

// Points of one problem and device stand together, whatever order they were measured in.
std::vector<std::pair<std::string, std::vector<const Measurement*>>> ladders(
    const Session& session) {
  std::vector<std::pair<std::string, std::vector<const Measurement*>>> found;
  std::map<std::string, std::size_t> places;
  for (const Measurement* m : session.newest_points()) {
    std::string place = m->scene + " at " + m->problem;
    if (session.devices().size() > 1) place += " on " + to_text(device_of(m->conditions));
    const auto [at, added] = places.emplace(place, found.size());
    if (added) found.push_back({place, {}});
    found[at->second].second.push_back(m);
  }
  return found;
}

// The verdict, the baseline's name where leagues have their own, and its tuning where it is not the
// usual one.
std::string against(const Measurement& base, const Measurement& m) {
  const std::string tuning = tuning_text(base), league = league_of(m);
  return compare_times(base, m, CacheState::warm).sentence +
         (league.empty() ? "" : " (" + league + ": " + base.variant + ")") +
         (tuning.empty() ? "" : ", the baseline at " + tuning);
}

// A fault of a person's file may be that of a guess; nothing compiled says how it is launched.
std::string guesses_of(const Measurement& m) {
  if (m.verdict.outcome != Outcome::faulted) return "";
  const auto text = catalogue_of(m).text(m.scene);
  if (text == nullptr || text->file.empty()) return "";
  const bool compiled = kind_of_file(text->file) != BinaryKind::none;
  if (!compiled && text->description.find("# ? ") == std::string::npos) return "";
  return std::string(compiled ? "the launch and the sizes are" : "sizes or the launch are") +
         " guesses: `warpscope verify` says which accesses are beyond them, and the panel Launch "
         "or a "
         "launch file sets them";
}

void print_ladder(const std::string& place, const std::vector<const Measurement*>& points,
                  const Session& session, Reasons& why) {
  std::printf("%s\n%s%s%s%s%s%s%s%s\n", visible_name(place).c_str(), padded("variant", 26).c_str(),
              padded("verdict", 14).c_str(), padded("cold", 11).c_str(), padded("warm", 11).c_str(),
              padded("noise", 9).c_str(), padded("DRAM, warm", 19).c_str(),
              padded("of roof", 15).c_str(),
              league_of(*points.front()).empty() ? "compared with the baseline, warm"
                                                 : "compared with its league's baseline, warm");
  const double shortest_ns = shortest_time_ns(points);
  for (const Measurement* m : points) {
    std::string gain = m->verdict.outcome == Outcome::correct ? "" : m->verdict.sentence;
    const Measurement* base = baseline_of(session, *m);
    if (base != nullptr && base != m && base->warm && m->warm) gain = against(*base, *m);
    const std::string own = own_axes_text(*m);
    const OfRoof roof = of_roof(*m, session);
    add(why, roof.why, m->variant);
    add(why, guesses_of(*m), m->variant);
    std::printf("%s%s%s%s%s%s%s%s\n",
                padded(m->variant + (own.empty() ? "" : " " + own), 26).c_str(),
                padded(to_text(m->verdict.outcome), 14).c_str(),
                padded(time_text(m->cold, shortest_ns), 11).c_str(),
                padded(time_text(m->warm, shortest_ns), 11).c_str(),
                padded(m->warm ? format_value(m->warm->noise_ratio, "ratio") : "", 9).c_str(),
                padded(dram_text(*m), 19).c_str(), padded(roof.cell, 15).c_str(), gain.c_str());
    if (!m->choice.empty()) std::printf("  chosen: %s\n", m->choice.c_str());
  }
}

// The axes that a point's configuration has, with their values as texts.
std::vector<std::pair<const Axis*, std::string>> values_of(const Measurement& m) {
  std::vector<std::pair<const Axis*, std::string>> list;
  const Result<const Scene*> scene = catalogue_of(m).find(m.scene);
  if (!scene) return list;
  for (const Axis& axis : (*scene)->axes) {
    if (of_variant(axis, m.variant) && m.axes.has(axis.name) && applies(axis, m.axes))
      list.emplace_back(&axis, to_text(m.axes.at(axis.name)));
  }
  return list;
}

// Among whose points a value is compared: a variant's own axis differs where the variant has two.
std::string compared_among(const Measurement& m, const Axis& axis) {
  return m.scene + "/" + (of_problem(axis) ? "" : m.variant + "/") + axis.name;
}

// What tells the points of a session apart, point by point: "n=64 p=0.1"; all empty where no axis
// has two values.
std::vector<std::string> differing_values(const std::vector<const Measurement*>& points) {
  std::map<std::string, std::set<std::string>> known;
  for (const Measurement* m : points) {
    for (const auto& [axis, value] : values_of(*m)) known[compared_among(*m, *axis)].insert(value);
  }
  std::vector<std::string> texts;
  texts.reserve(points.size());
  for (const Measurement* m : points) {
    std::string text;
    for (const auto& [axis, value] : values_of(*m)) {
      if (known[compared_among(*m, *axis)].size() < 2) continue;
      text += (text.empty() ? "" : " ") + axis->name + "=" + value;
    }
    texts.push_back(std::move(text));
  }
  return texts;
}

}  // namespace

std::string as_option(std::string why) {
  constexpr std::string_view kAsked = "the counters “standard” will tell";
  if (const std::size_t at = why.find(kAsked); at != std::string::npos)
    why.replace(at, kAsked.size(), "--counters standard will tell which roof limits it");
  return why;
}

std::string with_remedy(const Verdict& verdict) {
  const bool not_run =
      verdict.outcome == Outcome::compile_failed || verdict.outcome == Outcome::launch_failed;
  return verdict.sentence +
         (not_run && !verdict.remedy.empty() ? "; " + verdict.remedy : std::string());
}

std::string padded(const std::string& words, std::size_t width) {
  constexpr std::size_t kGap = 2;  // between a text that is too long and the next column
  const std::string text = visible_name(words);
  const auto seen = static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
  return text + std::string(seen < width ? width - seen : width > 0 ? kGap : 0, ' ');
}

void print_table(const Session& session) {
  Reasons why;
  for (const auto& [place, points] : ladders(session)) print_ladder(place, points, session, why);
  if (session.all_points().empty()) return;
  std::printf(
      "DRAM, warm: bytes per second of warm time; “counted”: by the device, “model”: the least "
      "bytes by the scene's model%s\n",
      session.roofs() == nullptr ? "; for “of roof” give --roofs" : "");
  for (const auto& [sentence, variants] : why)
    std::printf("%s%s: %s\n", variants.front().c_str(),
                variants.size() == 1
                    ? ""
                    : (" and " + std::to_string(variants.size() - 1) + " more").c_str(),
                sentence.c_str());
}

void print_verdicts(const Session& session, const std::string& where) {
  const std::vector<const Measurement*> points = session.all_points();
  const std::vector<std::string> configurations = differing_values(points);
  std::size_t width = 0;
  for (const std::string& text : configurations) width = std::max(width, text.size() + 2);
  if (width == 2) width = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Measurement& m = *points[i];
    std::printf("%s%s%s%s%s\n", padded(where, 10).c_str(),
                padded(m.scene + "/" + m.variant, 34).c_str(),
                padded(configurations[i], width).c_str(),
                padded(to_text(m.verdict.outcome), 16).c_str(), with_remedy(m.verdict).c_str());
  }
}

bool is_above_a_roof(const Session& session) {
  const std::vector<const Measurement*> points = session.all_points();
  return std::any_of(points.begin(), points.end(),
                     [&](const Measurement* m) { return of_roof(*m, session).above; });
}

}  // namespace warpscope
