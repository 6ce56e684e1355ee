// profiling/claims/claim_text.h: texts that state relations: their words follow the session at
// hand.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profiling/claims/claim.h"

// A text of a scene or a lesson holds figures in braces and claims in double brackets:
//
//   It takes {time.warm:k_tiles}, [[k_tiles.time.warm < cusparse_alg3.time.warm => less than
//   cuSPARSE | k_tiles.time.warm > cusparse_alg3.time.warm => more than cuSPARSE | as long as
//   cuSPARSE || beside cuSPARSE]].
//
// The words after the first relation that holds are taken; those after the last | where none
// does; those after || as soon as one is unknown, or where there is no session. Parts that are
// left out are empty. {why} in the words after || says what is missing and what to do about it.
//
// Figures: {time.warm:float4_columns}, {ratio:a/b} of two warm times, and {expression} of
// claim.h: {device}, {roof.l2}, {ratio(a.time.cold, b.time.cold)}, {copy@stride=8.time.warm}.
//
//   show(resolve(variant.look_at, {&scene, &session, axes}));
//   show(resolve(variant.look_at, {&scene}));                   // no session: neutral words

namespace warpscope {

// A figure that a text quotes. {ratio:a/b} quotes the warm times of both.
struct QuotedFigure {
  std::string id, variant;
  bool operator==(const QuotedFigure&) const = default;
};
// The text in place of a missing figure; no value: "– (why)" with what the session says.
using InsteadOfFigure = std::function<std::optional<std::string>(const QuotedFigure&)>;

// What stands where an expression has no figure: of why, remedy and command. Null: "– (why)".
using InsteadOfExpression = std::function<std::string(const ClaimFigureText&)>;

// The text with its claims decided and its figures filled in. A part that cannot be read says so
// in its place.
std::string resolve(std::string_view text, const ClaimContext& context,
                    const InsteadOfFigure& missing = {}, const InsteadOfExpression& without = {});

// Whether every claim and figure of a text can be read for the scene. error: input, with the place.
Result<void> check_text(std::string_view text, const Scene& scene);

// The figures that a text may quote or hold to each other at the configuration at hand, claims
// included, each once.
std::vector<QuotedFigure> figures_in(std::string_view text, const Scene& scene,
                                     const Configuration& axes);

// One way that a text's words can go, for tests and tables.
struct ClaimCase {
  std::string expression;  // empty: after the last |
  std::string words;
};
struct ClaimPart {
  std::string plain;  // words outside of brackets; else
  std::vector<ClaimCase> cases;
  std::string unknown;
  bool is_claim() const { return !cases.empty(); }
};
std::vector<ClaimPart> parts_of(std::string_view text);

}  // namespace warpscope
