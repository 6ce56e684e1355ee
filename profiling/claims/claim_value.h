// profiling/claims/claim_value.h: values that stand in a claim, and how they are compared.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "profiling/figures/timing.h"
#include "profiling/points/point.h"
#include "scenes/host/result.h"

namespace warpscope {

// Why there is no value.
struct MissingFigure {
  std::string why, remedy;
  std::string command = {};  // that measures it, where nothing else is needed
};

struct ScaledTiming {
  const Timing* timing = nullptr;
  TimingConditions conditions;
  double factor = 1;
};

// Where a figure comes from, and the axes that its name sets apart.
struct FigureSource {
  const Measurement* point = nullptr;
  const std::map<std::string, std::string>* settings = nullptr;
};

struct ClaimValue {
  enum class Kind { number, words, truth };
  Kind kind = Kind::number;
  double number = 0;
  std::string unit;
  bool whole = false;  // a count or a size: written without decimals
  std::string words;
  bool truth = false;
  std::optional<ScaledTiming> time;  // the samples of a time …
  std::optional<ScaledTiming> over;  // … and of a ratio of two times those below the line
  std::vector<FigureSource> sources;
};

template <typename T>
using OrMissing = tl::expected<T, MissingFigure>;

tl::unexpected<MissingFigure> missing(std::string why, std::string remedy);
// The error of a claim that has no meaning on any session.
tl::unexpected<MissingFigure> nonsense(const std::string& what);

ClaimValue number_of(double number, std::string unit);
ClaimValue words_of(std::string words);
ClaimValue truth_of(bool truth);

// Whether figures of two units may be added and compared: both are pure numbers, or of one unit.
bool of_one_unit(const ClaimValue& a, const ClaimValue& b);

// `sign`: one of + - * /. Times keep their samples where they are scaled or divided by each other.
OrMissing<ClaimValue> arithmetic(char sign, const ClaimValue& a, const ClaimValue& b);
// `sign`: one of < <= > >= = != ~. Times are compared by the verdict of timing.h.
OrMissing<ClaimValue> relation(const std::string& sign, const ClaimValue& a, const ClaimValue& b);
// Whether a figure lies about another: within this share of it, on either side.
OrMissing<ClaimValue> about(const ClaimValue& a, const ClaimValue& b, const ClaimValue& share);

}  // namespace warpscope
