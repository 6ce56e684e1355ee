// workbench/lessons/lesson_trace.cpp: figures of the emulated launch by the names that lessons use.
#include "workbench/lessons/lesson_trace.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <functional>
#include <optional>

#include "profiling/access/trace_view.h"
#include "profiling/claims/claim_text.h"
#include "workbench/workspace/selection/trace_steps.h"

namespace warpscope {
namespace {

constexpr std::array kRequestNames = {"request.sectors", "request.wavefronts", "request.lines",
                                      "request.ideal",   "request.lanes",      "request.bytes"};
constexpr std::array kLaunchNames = {"launch.blocks", "launch.threads", "launch.warps"};
constexpr std::array kSectorNames = {"sector.lanes", "sector.bytes", "sector.first_lane",
                                     "sector.last_lane"};
constexpr std::uint64_t kLine = kLineBytes, kSector = kSectorBytes;
constexpr std::array kHeads = {"request.", "launch.", "sector.", "emulated."};

bool is_known(std::string_view name) {
  const auto among = [name](const auto& names) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  if (among(kRequestNames) || among(kLaunchNames) || among(kSectorNames)) return true;
  const Metric* metric = find_metric(std::string(name));
  return metric != nullptr && metric->source == MetricSource::emulator;
}

bool is_part(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '@';
}

// The end of a figure's name that begins at `at`; `at` if none begins there.
std::size_t name_end(std::string_view words, std::size_t at) {
  if (at > 0 && is_part(words[at - 1])) return at;
  const bool head = std::any_of(kHeads.begin(), kHeads.end(), [&](std::string_view each) {
    return words.substr(at, each.size()) == each;
  });
  if (!head) return at;
  std::size_t end = at;
  while (end < words.size() && is_part(words[end])) ++end;
  while (end > at && words[end - 1] == '.') --end;  // of a sentence
  // {metric:variant} quotes a measurement.
  const bool quotes = end + 1 < words.size() && words[end] == ':' && is_part(words[end + 1]);
  return quotes ? at : end;
}

// As claims read a number: no exponent.
std::string number_text(double number) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.6f", std::abs(number));
  std::string digits = text.data();
  digits.erase(digits.find_last_not_of('0') + 1);
  if (digits.back() == '.') digits.pop_back();
  return number < 0 ? "(-" + digits + ")" : digits;
}

// A figure as a text shows it: “32”, “3.50”, “128 B”.
std::string figure_words(const std::string& name, double number) {
  constexpr double kPlainBytes = 10000;
  const bool bytes = name.ends_with(".bytes");
  if (bytes && number >= kPlainBytes) return format_value(number, "B");
  std::array<char, 64> text{};
  const bool whole = number == std::round(number);
  std::snprintf(text.data(), text.size(), whole ? "%.0f" : "%.2f", number);
  return text.data() + std::string(bytes ? " B" : "");
}

using NumberOf = std::function<std::optional<std::string>(std::string_view)>;

std::string replaced(std::string_view words, const NumberOf& number_of) {
  std::string made;
  for (std::size_t at = 0; at < words.size();) {
    const std::size_t end = name_end(words, at);
    if (end == at) {
      made += words[at++];
      continue;
    }
    const std::string_view name = words.substr(at, end - at);
    made += number_of(name).value_or(std::string(name));
    at = end;
  }
  return made;
}

// What stands in the braces of a text, replaced.
std::string in_braces(const std::string& words,
                      const std::function<std::string(const std::string&)>& made_of) {
  std::string made;
  for (std::size_t at = 0; at < words.size();) {
    const std::size_t open = words.find('{', at);
    const std::size_t close = open == std::string::npos ? open : words.find('}', open);
    if (close == std::string::npos) return made + words.substr(at);
    made += words.substr(at, open - at) + made_of(words.substr(open, close + 1 - open));
    at = close + 1;
  }
  return made;
}

std::string claim_text(const ClaimPart& part, const TraceNames& names,
                       const std::function<std::string(const std::string&)>& braces) {
  std::string made = "[[";
  for (std::size_t i = 0; i < part.cases.size(); ++i) {
    const ClaimCase& each = part.cases[i];
    made += i > 0 ? " | " : "";
    if (!each.expression.empty()) made += with_numbers(each.expression, names) + " => ";
    made += in_braces(each.words, braces);
  }
  return made + " || " + in_braces(part.unknown, braces) + "]]";
}

// The line that holds this address, of those that the request touches.
std::optional<TouchedLine> line_at(const Trace& trace, const WarpRequest& request,
                                   std::uint64_t address) {
  for (const TouchedLine& line : touched_lines(request, trace.sites[request.site].width_bytes)) {
    if (address / kLine == line.address / kLine) return line;
  }
  return std::nullopt;
}

}  // namespace

TraceNames trace_names(const Trace& trace, const TraceSelection& selection) {
  TraceNames names = {
      {"launch.blocks", static_cast<double>(block_count(trace.launch))},
      {"launch.threads",
       static_cast<double>(trace.launch.block.x * trace.launch.block.y * trace.launch.block.z)},
      {"launch.warps", static_cast<double>(warps_of(trace.launch))}};
  for (const MetricValue& value : trace.metrics) {
    if (value.value) names[value.id] = *value.value;
  }
  const WarpRequest* request = chosen_request(selection, trace);
  if (request == nullptr) return names;
  const AccessSite& site = trace.sites[request->site];
  const AccessTotals cost = request_cost(trace, *request);
  const bool shared = belongs(site, RequestFamily::shared);
  const int lanes = std::popcount(request->active);
  names["request.lanes"] = lanes;
  names["request.bytes"] = static_cast<double>(lanes * site.width_bytes);
  if (shared) {
    names["request.wavefronts"] = static_cast<double>(cost.wavefronts);
    names["request.ideal"] = static_cast<double>(cost.ideal_wavefronts);
  } else {
    names["request.sectors"] = static_cast<double>(cost.sectors);
    names["request.ideal"] = static_cast<double>(cost.ideal_sectors);
    names["request.lines"] = static_cast<double>(touched_lines(*request, site.width_bytes).size());
  }
  return names;
}

TraceNames sector_names(const Trace& trace, const TraceSelection& selection,
                        std::uint64_t address) {
  TraceNames names = trace_names(trace, selection);
  const WarpRequest* request = chosen_request(selection, trace);
  const auto line = request == nullptr ? std::nullopt : line_at(trace, *request, address);
  if (!line) return names;
  constexpr std::size_t kWords = kSector / 4;
  const std::size_t first = address % kLine / kSector * kWords;
  std::uint32_t lanes = 0;
  int bytes = 0;
  for (std::size_t word = first; word < first + kWords; ++word) {
    lanes |= line->word_lanes[word];
    bytes += std::popcount(static_cast<unsigned>(line->word_bytes[word]));
  }
  names["sector.lanes"] = std::popcount(lanes);
  names["sector.bytes"] = bytes;
  names["sector.first_lane"] = lanes == 0 ? 32 : std::countr_zero(lanes);
  names["sector.last_lane"] = lanes == 0 ? -1 : 31 - std::countl_zero(lanes);
  return names;
}

std::vector<std::uint64_t> shown_sectors(const Trace& trace, const TraceSelection& selection) {
  std::vector<std::uint64_t> sectors;
  const WarpRequest* request = chosen_request(selection, trace);
  if (request == nullptr) return sectors;
  for (const TouchedLine& line : touched_lines(*request, trace.sites[request->site].width_bytes)) {
    for (std::uint64_t at = 0; at < kLine; at += kSector) sectors.push_back(line.address + at);
  }
  return sectors;
}

bool names_trace(std::string_view words) {
  for (std::size_t at = 0; at < words.size(); ++at) {
    const std::size_t end = name_end(words, at);
    if (end > at && is_known(words.substr(at, end - at))) return true;
  }
  return false;
}

std::string with_numbers(std::string_view expression, const TraceNames& names) {
  return replaced(expression, [&](std::string_view name) -> std::optional<std::string> {
    const auto found = names.find(std::string(name));
    if (found == names.end()) return std::nullopt;
    return number_text(found->second) + (name.ends_with(".bytes") ? " B" : "");
  });
}

std::string with_ones(std::string_view words) {
  return replaced(words, [](std::string_view name) -> std::optional<std::string> {
    if (!is_known(name)) return std::nullopt;
    return std::string(name.ends_with(".bytes") ? "1 B" : "1");
  });
}

std::string filled_from_trace(const std::string& text, const TraceNames* names,
                              const std::string& missing) {
  const auto braces = [&](const std::string& quoted) {
    if (!names_trace(quoted)) return quoted;
    const auto whole = names == nullptr ? TraceNames::const_iterator{}
                                        : names->find(quoted.substr(1, quoted.size() - 2));
    if (names != nullptr && whole != names->end()) return figure_words(whole->first, whole->second);
    const std::string made = names == nullptr ? quoted : with_numbers(quoted, *names);
    return names_trace(made) ? missing : made;
  };
  std::string made;
  for (const ClaimPart& part : parts_of(text)) {
    if (!part.is_claim()) {
      made += in_braces(part.plain, braces);
      continue;
    }
    const std::string filled = claim_text(part, names == nullptr ? TraceNames{} : *names, braces);
    const bool lacks =
        std::any_of(part.cases.begin(), part.cases.end(), [&](const ClaimCase& each) {
          return names_trace(names == nullptr ? each.expression
                                              : with_numbers(each.expression, *names));
        });
    made += lacks ? in_braces(part.unknown, braces) : filled;
  }
  return made;
}

}  // namespace warpscope
