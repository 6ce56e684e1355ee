// profiling/messages/json_requests.cpp: what a trace lists by the thousand, as JSON and back.
#include "profiling/messages/json_requests.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <stdexcept>
#include <string_view>

#include "profiling/messages/json_fields.h"

namespace warpscope {
namespace {

using nlohmann::json;

// source: CUDA C++ Programming Guide, "Technical Specifications per Compute Capability": a block
// has 1024 threads.
constexpr std::size_t kMostWarps = 32;

std::uint32_t mask_of(const json& value) { return static_cast<std::uint32_t>(natural(value)); }
std::int64_t signed_mask(std::uint32_t mask) { return static_cast<std::int32_t>(mask); }

// Base-64 digits of 5 bits, the sixth says that more follow; the first digit's lowest bit is the
// sign. source: the variable-length quantities of the Source Map specification, revision 3.
constexpr std::string_view kDigits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void append_quantity(std::string& text, std::uint64_t magnitude, bool negative) {
  std::uint64_t digit = (magnitude & 15U) << 1 | (negative ? 1U : 0U);
  magnitude >>= 4;
  while (magnitude != 0) {
    text += kDigits[digit | 32U];
    digit = magnitude & 31U;
    magnitude >>= 5;
  }
  text += kDigits[digit];
}

// The next quantity of `text` as the bits of a signed number; an end or a foreign letter gives 0.
std::uint64_t take_quantity(std::string_view& text) {
  std::uint64_t magnitude = 0;
  bool negative = false;
  int shift = 0;
  for (bool first = true, more = true; more && !text.empty(); first = false) {
    const std::size_t found = kDigits.find(text.front());
    text.remove_prefix(1);
    const std::uint64_t digit = found == std::string_view::npos ? 0 : found;
    more = (digit & 32U) != 0;
    if (first) {
      negative = (digit & 1U) != 0;
      magnitude = digit >> 1 & 15U;
      shift = 4;
    } else if (shift < 64) {
      magnitude |= (digit & 31U) << shift;
      shift += 5;
    }
  }
  return negative ? 0 - magnitude : magnitude;
}

struct Difference64 {
  std::uint64_t magnitude = 0;
  bool negative = false;
};

Difference64 difference_of(std::uint64_t later, std::uint64_t earlier) {
  const std::uint64_t bits = later - earlier;
  const bool negative = (bits >> 63) != 0;
  return {negative ? 0 - bits : bits, negative};
}

json encode_step(const WarpRequest& r) {
  std::vector<std::pair<int, std::uint64_t>> lanes;
  for (int lane = 0; lane < kWarpLanes; ++lane) {
    if ((r.active >> lane & 1U) != 0)
      lanes.emplace_back(lane, r.addresses[static_cast<std::size_t>(lane)]);
  }
  if (lanes.size() < 2) return 0;
  const auto apart = static_cast<std::int64_t>(lanes[1].second - lanes[0].second);
  const std::int64_t stride = apart / (lanes[1].first - lanes[0].first);
  const bool constant = std::all_of(lanes.begin(), lanes.end(), [&](const auto& lane) {
    return lane.second ==
           lanes[0].second + static_cast<std::uint64_t>(stride) *
                                 static_cast<std::uint64_t>(lane.first - lanes[0].first);
  });
  if (constant) return stride;
  std::vector<Difference64> differences;
  std::uint64_t unit = 0;
  for (std::size_t i = 1; i < lanes.size(); ++i) {
    differences.push_back(difference_of(lanes[i].second, lanes[i - 1].second));
    unit = std::gcd(unit, differences.back().magnitude);
  }
  std::string text;
  append_quantity(text, unit, false);
  for (const Difference64& d : differences) append_quantity(text, d.magnitude / unit, d.negative);
  return text;
}

void decode_step(const json& step, std::uint64_t base, WarpRequest& r) {
  std::uint64_t address = base, unit = 0;
  std::string_view text;
  int first = -1;
  if (step.is_string()) {
    text = step.get_ref<const std::string&>();
    unit = take_quantity(text);
  }
  for (int lane = 0; lane < kWarpLanes; ++lane) {
    if ((r.active >> lane & 1U) == 0) continue;
    if (first < 0) {
      first = lane;
    } else if (step.is_string()) {
      address += take_quantity(text) * unit;
    } else {
      address = base + natural(step) * static_cast<std::uint64_t>(lane - first);
    }
    r.addresses[static_cast<std::size_t>(lane)] = address;
  }
}

bool same(const std::vector<IssuedInstruction>& a, const std::vector<IssuedInstruction>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const IssuedInstruction& x, const IssuedInstruction& y) {
                      return x.instruction == y.instruction && x.active == y.active &&
                             x.line == y.line;
                    });
}

}  // namespace

json encode_requests(const Trace& trace) {
  json list = json::array();
  const WarpRequest* before = nullptr;
  for (const WarpRequest& r : trace.requests) {
    const std::uint64_t since = before != nullptr && before->warp == r.warp ? before->order : 0;
    const std::size_t first = static_cast<std::size_t>(std::countr_zero(r.active)) % kWarpLanes;
    json row = json::array({r.site, r.warp, static_cast<std::int64_t>(r.order - since),
                            signed_mask(r.active), r.active == 0 ? 0 : r.addresses[first],
                            encode_step(r)});
    const bool bulk = r.bulk != BulkCost{};
    if (bulk || r.block != trace.scope.block) row.push_back(r.block);
    if (bulk) {
      for (const std::int64_t figure : {r.bulk.bytes, r.bulk.sectors, r.bulk.lines})
        row.push_back(figure);
    }
    list.push_back(std::move(row));
    before = &r;
  }
  return list;
}

void decode_requests(const json& list, Trace& trace) {
  trace.requests.reserve(rows_of(list).size());
  for (const json& row : list) {
    WarpRequest r;
    r.site = static_cast<std::uint32_t>(natural(row.at(0)));
    r.warp = static_cast<std::uint32_t>(natural(row.at(1)));
    const bool follows = !trace.requests.empty() && trace.requests.back().warp == r.warp;
    r.order = natural(row.at(2)) + (follows ? trace.requests.back().order : 0);
    r.active = mask_of(row.at(3));
    decode_step(row.at(5), natural(row.at(4)), r);
    r.block = row.size() > 6 ? integer(row[6]) : trace.scope.block;
    if (row.size() > 9) r.bulk = {integer(row[7]), integer(row[8]), integer(row[9])};
    trace.requests.push_back(r);
  }
}

bool encode_issued(const Trace& trace, json& object) {
  std::map<std::uint32_t, int> lines;
  json warps = json::array();
  std::int64_t room = kMostIssuedInstructions;
  bool whole = true;
  for (std::size_t w = 0; w < trace.issued.size(); ++w) {
    const auto& issued = trace.issued[w];
    const auto count = std::min<std::int64_t>(static_cast<std::int64_t>(issued.size()), room);
    whole = whole && count == static_cast<std::int64_t>(issued.size());
    room -= count;
    std::size_t twin = 0;
    while (twin < w && !same(trace.issued[twin], issued)) ++twin;
    if (twin < w && whole) {
      warps.push_back(twin);
      continue;
    }
    json runs = json::array();
    std::uint32_t first = 0, active = 0, length = 0;
    const auto end_run = [&] {
      if (length > 0) runs.push_back({first, length, signed_mask(active)});
      length = 0;
    };
    for (std::int64_t i = 0; i < count; ++i) {
      const IssuedInstruction& at = issued[static_cast<std::size_t>(i)];
      if (lines.try_emplace(at.instruction, at.line).first->second != at.line) {
        end_run();
        runs.push_back({at.instruction, 1, signed_mask(at.active), at.line});
        continue;
      }
      if (length == 0 || at.instruction != first + length || at.active != active) {
        end_run();
        first = at.instruction;
        active = at.active;
      }
      ++length;
    }
    end_run();
    warps.push_back(std::move(runs));
  }
  json pairs = json::array();
  for (const auto& [instruction, line] : lines) pairs.push_back({instruction, line});
  object["issued"] = std::move(warps);
  object["instruction_lines"] = std::move(pairs);
  return whole;
}

void decode_issued(const json& object, Trace& trace) {
  const auto warps = object.find("issued");
  if (warps == object.end()) return;
  std::map<std::uint32_t, int> lines;
  if (const auto pairs = object.find("instruction_lines"); pairs != object.end()) {
    for (const json& pair : *pairs)
      lines[static_cast<std::uint32_t>(natural(pair.at(0)))] = pair.at(1).get<int>();
  }
  std::int64_t room = kMostIssuedInstructions;
  if (warps->size() > kMostWarps) throw std::length_error("a block cannot have so many warps");
  for (const json& warp : *warps) {
    std::vector<IssuedInstruction> issued;
    if (!warp.is_array()) {
      const std::uint64_t twin = natural(warp);
      if (twin < trace.issued.size() &&
          static_cast<std::int64_t>(trace.issued[twin].size()) <= room)
        issued = trace.issued[twin];
      room -= static_cast<std::int64_t>(issued.size());
    } else {
      for (const json& run : warp) {
        const auto first = static_cast<std::uint32_t>(natural(run.at(0)));
        const std::int64_t count = std::clamp<std::int64_t>(integer(run.at(1)), 0, room);
        room -= count;
        for (std::int64_t i = 0; i < count; ++i) {
          IssuedInstruction at{first + static_cast<std::uint32_t>(i), mask_of(run.at(2)), 0};
          if (run.size() > 3) {
            at.line = run[3].get<int>();
          } else if (const auto line = lines.find(at.instruction); line != lines.end()) {
            at.line = line->second;
          }
          issued.push_back(at);
        }
      }
    }
    trace.issued.push_back(std::move(issued));
  }
}

}  // namespace warpscope
