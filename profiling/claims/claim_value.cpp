// profiling/claims/claim_value.cpp: values that stand in a claim, and how they are compared.
#include "profiling/claims/claim_value.h"

#include <algorithm>
#include <cmath>

namespace warpscope {
namespace {

bool is_pure(const std::string& unit) { return unit.empty() || unit == "1" || unit == "ratio"; }

std::vector<FigureSource> joined(const ClaimValue& a, const ClaimValue& b) {
  std::vector<FigureSource> all = a.sources;
  all.insert(all.end(), b.sources.begin(), b.sources.end());
  return all;
}

Timing scaled(const ScaledTiming& of) {
  Timing timing = *of.timing;
  timing.samples_ns.scale(of.factor);
  for (double* figure : {&timing.median_ns, &timing.minimum_ns, &timing.first_quartile_ns,
                         &timing.third_quartile_ns, &timing.maximum_ns})
    *figure *= of.factor;
  return timing;
}
Comparison verdict(const ScaledTiming& candidate, const ScaledTiming& baseline) {
  return compare(scaled(baseline), baseline.conditions, scaled(candidate), candidate.conditions);
}

OrMissing<ClaimValue> by_verdict(const std::string& sign, const Comparison& comparison) {
  const Difference d = comparison.difference;
  if (d == Difference::not_comparable) return missing(comparison.sentence, "measure both again");
  if (sign == "<") return truth_of(d == Difference::faster);
  if (sign == ">") return truth_of(d == Difference::slower);
  if (sign == "<=") return truth_of(d != Difference::slower);
  if (sign == ">=") return truth_of(d != Difference::faster);
  if (d == Difference::ambiguous)
    return missing("the difference is " + comparison.sentence, "measure longer");
  return truth_of((d == Difference::same) == (sign != "!="));
}

}  // namespace

tl::unexpected<MissingFigure> missing(std::string why, std::string remedy) {
  return tl::unexpected(MissingFigure{std::move(why), std::move(remedy), ""});
}
tl::unexpected<MissingFigure> nonsense(const std::string& what) {
  return missing(what, "correct the claim");
}

ClaimValue number_of(double number, std::string unit) {
  ClaimValue value;
  value.number = number;
  value.unit = std::move(unit);
  return value;
}
ClaimValue words_of(std::string words) {
  ClaimValue value;
  value.kind = ClaimValue::Kind::words;
  value.words = std::move(words);
  return value;
}
ClaimValue truth_of(bool truth) {
  ClaimValue value;
  value.kind = ClaimValue::Kind::truth;
  value.truth = truth;
  return value;
}

bool of_one_unit(const ClaimValue& a, const ClaimValue& b) {
  return a.unit == b.unit || (is_pure(a.unit) && is_pure(b.unit));
}

OrMissing<ClaimValue> arithmetic(char sign, const ClaimValue& a, const ClaimValue& b) {
  if (a.kind != ClaimValue::Kind::number || b.kind != ClaimValue::Kind::number)
    return nonsense(std::string("“") + sign + "” needs a figure on both sides");
  ClaimValue made;
  made.sources = joined(a, b);
  const auto is_whole = [](const ClaimValue& value) {
    return value.whole || (value.sources.empty() && value.number == std::round(value.number));
  };
  made.whole = sign != '/' && (a.whole || b.whole) && is_whole(a) && is_whole(b);
  if (sign == '+' || sign == '-') {
    if (!of_one_unit(a, b)) return nonsense("adds " + a.unit + " and " + b.unit);
    made.number = sign == '+' ? a.number + b.number : a.number - b.number;
    made.unit = a.unit;
    return made;
  }
  const auto scaled = [&made](const ClaimValue& time, double factor) {
    made.time = time.time;
    made.over = time.over;
    if (made.time) made.time->factor *= factor;
  };
  if (sign == '*') {
    made.number = a.number * b.number;
    made.unit = is_pure(a.unit) ? b.unit : is_pure(b.unit) ? a.unit : a.unit + "·" + b.unit;
    if (a.time && !b.time && is_pure(b.unit)) scaled(a, b.number);
    if (b.time && !a.time && is_pure(a.unit)) scaled(b, a.number);
    return made;
  }
  if (b.number == 0) return missing("divides by zero", "divide by a figure that is not 0");
  made.number = a.number / b.number;
  if (!a.unit.empty() && b.unit == a.unit + "/s") {  // bytes over bytes per second are a time
    constexpr double kNs = 1e9;
    made.number *= kNs;
    made.unit = "ns";
    return made;
  }
  const auto per_second = [](const std::string& unit) { return unit.ends_with("/s"); };
  const auto amount = [](const std::string& rate) { return rate.substr(0, rate.size() - 2); };
  if (a.unit != b.unit && per_second(a.unit) && per_second(b.unit)) {
    made.unit = amount(a.unit) + "/" + amount(b.unit);  // FLOP/s over B/s are FLOP/B
    return made;
  }
  made.unit = a.unit == b.unit ? "" : is_pure(b.unit) ? a.unit : a.unit + "/" + b.unit;
  if (a.time && !b.time && is_pure(b.unit)) scaled(a, 1 / b.number);
  if (a.time && b.time && !a.over && !b.over) {
    made.time = a.time;
    made.over = b.time;
  }
  return made;
}

OrMissing<ClaimValue> about(const ClaimValue& a, const ClaimValue& b, const ClaimValue& share) {
  for (const ClaimValue* value : {&a, &b, &share}) {
    if (value->kind != ClaimValue::Kind::number) return nonsense("“~” compares figures only");
  }
  if (!of_one_unit(a, b))
    return nonsense("compares " + (a.unit.empty() ? "a number" : a.unit) + " with " +
                    (b.unit.empty() ? "a number" : b.unit));
  if (!is_pure(share.unit)) return nonsense("“within” needs a share after it, not " + share.unit);
  return truth_of(std::abs(a.number - b.number) <= share.number * std::abs(b.number));
}

OrMissing<ClaimValue> relation(const std::string& sign, const ClaimValue& a, const ClaimValue& b) {
  if (a.kind != b.kind) return nonsense("compares a figure with a text");
  if (a.kind == ClaimValue::Kind::words) {
    if (sign != "=" && sign != "!=") return nonsense("texts can only be compared with = and !=");
    return truth_of((a.words == b.words) == (sign == "="));
  }
  if (a.kind == ClaimValue::Kind::truth) return nonsense("compares relations");
  if (!of_one_unit(a, b))
    return nonsense("compares " + (a.unit.empty() ? "a number" : a.unit) + " with " +
                    (b.unit.empty() ? "a number" : b.unit));
  if (a.time && b.time && !a.over && !b.over) return by_verdict(sign, verdict(*a.time, *b.time));
  // Comparing a ratio of two times with a number compares one time with a multiple of the other.
  if (a.over && !b.time) {
    ScaledTiming limit = *a.over;
    limit.factor *= b.number;
    return by_verdict(sign, verdict(*a.time, limit));
  }
  if (b.over && !a.time) {
    ScaledTiming limit = *b.over;
    limit.factor *= a.number;
    return by_verdict(sign, verdict(limit, *b.time));
  }
  constexpr double kSame = 0.01;  // of counters: what two runs of one kernel differ by
  const double x = a.number, y = b.number;
  if (sign == "<") return truth_of(x < y);
  if (sign == ">") return truth_of(x > y);
  if (sign == "<=") return truth_of(x <= y);
  if (sign == ">=") return truth_of(x >= y);
  const bool same =
      sign == "~" ? std::abs(x - y) <= kSame * std::max(std::abs(x), std::abs(y)) : x == y;
  return truth_of(same == (sign != "!="));
}

}  // namespace warpscope
