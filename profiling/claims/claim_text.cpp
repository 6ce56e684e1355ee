// profiling/claims/claim_text.cpp: texts that state relations: their words follow the session at
// hand.
#include "profiling/claims/claim_text.h"

#include <algorithm>
#include <cctype>
#include <cstdio>

#include "profiling/claims/claim_names.h"
#include "profiling/figures/metric.h"
#include "profiling/points/step_means.h"

namespace warpscope {
namespace {

constexpr const char* kHowToQuote = "write {metric:variant} or {ratio:a/b}";

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \n");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \n") - begin + 1);
}

// A part of a text between braces, and where it stands.
struct Quote {
  std::size_t begin = 0, end = 0;  // with the braces; an end at npos: there is no closing one
  std::string inside;
  std::string id, name;  // before and after the colon
  bool is_expression() const { return name.empty() && inside.find(':') == std::string::npos; }
  bool is_ratio() const { return id == "ratio" && !is_expression(); }
  std::string first() const { return name.substr(0, name.find('/')); }
  std::string second() const {
    const std::size_t slash = name.find('/');
    return slash == std::string::npos ? "" : name.substr(slash + 1);
  }
};

std::vector<Quote> quotes_in(std::string_view text) {
  std::vector<Quote> quotes;
  for (std::size_t at = text.find('{'); at != std::string_view::npos;) {
    const std::size_t close = text.find('}', at);
    Quote quote{at, close == std::string_view::npos ? close : close + 1, {}, {}, {}};
    if (close != std::string_view::npos) {
      quote.inside = std::string(text.substr(at + 1, close - at - 1));
      const std::size_t colon = quote.inside.find(':');
      quote.id = quote.inside.substr(0, colon);
      quote.name = colon == std::string::npos ? "" : quote.inside.substr(colon + 1);
    }
    quotes.push_back(quote);
    at = close == std::string_view::npos ? close : text.find('{', quote.end);
  }
  return quotes;
}

ClaimPart claim_of(std::string_view inside) {
  ClaimPart part;
  const std::size_t neutral = inside.find("||");
  if (neutral != std::string_view::npos) {
    part.unknown = std::string(trimmed(inside.substr(neutral + 2)));
    inside = inside.substr(0, neutral);
  }
  while (true) {
    const std::size_t bar = inside.find('|');
    const std::string_view one = inside.substr(0, bar);
    const std::size_t arrow = one.find("=>");
    if (arrow == std::string_view::npos) {
      part.cases.push_back({"", std::string(trimmed(one))});
    } else {
      part.cases.push_back({std::string(trimmed(one.substr(0, arrow))),
                            std::string(trimmed(one.substr(arrow + 2)))});
    }
    if (bar == std::string_view::npos) return part;
    inside = inside.substr(bar + 1);
  }
}

// The words of a claim, and whether they may be empty.
std::string decided(const ClaimPart& part, const ClaimContext& context) {
  for (const ClaimCase& each : part.cases) {
    if (each.expression.empty()) return each.words;
    const Result<Claim> claim = parse_claim(each.expression, *context.scene);
    if (!claim) return "(" + sentence(claim.error()) + ")";
    const ClaimResult result = evaluate(*claim, context);
    if (result.standing == ClaimStanding::holds) return each.words;
    if (result.standing == ClaimStanding::does_not_hold) continue;
    std::string words = part.unknown;
    if (const std::size_t why = words.find("{why}"); why != std::string::npos) {
      words.replace(why, 5, result.why + (result.remedy.empty() ? "" : ": " + result.remedy));
    }
    return words;
  }
  return "";
}

bool is_letter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || static_cast<unsigned char>(c) >= 0x80;
}

// Words of a claim that follow a word, or a figure, without a space get one: “[[…]]” may stand
// right after what its other words, ", and slower", continue.
void append_words(std::string& text, const std::string& words) {
  if (!words.empty() && !text.empty() && (is_letter(words.front()) || words.front() == '{') &&
      (is_letter(text.back()) || text.back() == '}'))
    text += ' ';
  text += words;
}

// Where words are left out, the space before them goes with them.
void append(std::string& text, std::string_view words) {
  if (!words.empty() && (text.empty() || text.back() == ' ') &&
      (words.front() == ' ' || words.front() == '.' || words.front() == ',')) {
    if (words.front() == ' ') {
      words.remove_prefix(1);
    } else if (!text.empty()) {
      text.pop_back();
    }
  }
  text += words;
}

// Why a point has no such figure, as the session knows it.
std::string why_missing(const Measurement* point, const Variant& variant, const std::string& id) {
  const std::string& label = variant.label;
  if (point == nullptr) return label + " was not measured at this configuration";
  if (point->verdict.outcome != Outcome::correct)
    return label + ": " + to_text(point->verdict.outcome) + ", " + point->verdict.sentence;
  const MetricValue* value = find_value(point->metrics, id);
  return value != nullptr && !value->reason.empty() ? value->reason.string()
                                                    : label + " was measured without “" + id + "”";
}

class Filling {
 public:
  Filling(const ClaimContext& context, const InsteadOfFigure& instead,
          const InsteadOfExpression& without)
      : context_(context), instead_(instead), without_(without) {}

  std::string of(std::string_view text) {
    std::string filled;
    std::size_t at = 0;
    for (const Quote& quote : quotes_in(text)) {
      if (quote.end == std::string_view::npos) break;
      filled += text.substr(at, quote.begin - at);
      at = quote.end;
      filled += quote.is_expression() ? expression(quote)
                : quote.is_ratio()    ? ratio(quote)
                                      : metric(quote);
    }
    return filled + std::string(text.substr(at));
  }

 private:
  // The figure, or nothing and `lacking_` says what stands in its place.
  std::optional<double> figure(const QuotedFigure& wanted) {
    const Variant* variant = find_variant(*context_.scene, wanted.variant);
    if (variant == nullptr) {
      lacking_ = "– (there is no variant “" + wanted.variant + "”)";
      return std::nullopt;
    }
    const Measurement* point = exact_point(context_, wanted.variant);
    const MetricValue* value = point == nullptr ? nullptr : find_value(point->metrics, wanted.id);
    if (value != nullptr && value->value) return value->value;
    const auto instead = instead_ ? instead_(wanted) : std::nullopt;
    lacking_ = instead ? *instead : "– (" + why_missing(point, *variant, wanted.id) + ")";
    return std::nullopt;
  }

  std::string ratio(const Quote& quote) {
    if (quote.second().empty()) return "– (a ratio needs two variants, a/b)";
    const auto a = figure({"time.warm", quote.first()});
    if (!a) return lacking_;
    const auto b = figure({"time.warm", quote.second()});
    if (!b) return lacking_;
    const Result<Claim> claim =
        parse_claim("ratio(" + quote.first() + ".time.warm, " + quote.second() + ".time.warm)",
                    *context_.scene);
    return claim ? text_of(figure_text(*claim, context_)) : "– (" + sentence(claim.error()) + ")";
  }

  std::string metric(const Quote& quote) {
    const std::optional<double> value = figure({quote.id, quote.name});
    if (!value) return lacking_;
    const Metric* metric = find_metric(quote.id);
    const std::string words = mean_in_words(*exact_point(context_, quote.name), quote.id);
    return format_value(*value, metric == nullptr ? "1" : metric->unit) +
           (words.empty() ? "" : " (" + words + ")");
  }

  std::string expression(const Quote& quote) {
    const Result<Claim> claim = parse_claim(quote.inside, *context_.scene);
    if (!claim) return "– (" + sentence(claim.error()) + ")";
    const ClaimFigureText figure = figure_text(*claim, context_);
    if (!figure.text.empty() || !instead_) return text_of(figure);
    for (const NeededFigure& needed : needed_figures(*claim, *context_.scene, context_.axes)) {
      if (const auto instead = instead_({needed.id, needed.variant})) return *instead;
    }
    return text_of(figure);
  }

  std::string text_of(const ClaimFigureText& figure) const {
    if (!figure.text.empty()) return figure.text;
    return without_ ? without_(figure) : "– (" + figure.why + ")";
  }

  const ClaimContext& context_;
  const InsteadOfFigure& instead_;
  const InsteadOfExpression& without_;
  std::string lacking_;
};

Result<void> check_quote(const Quote& quote, const Scene& scene) {
  if (quote.end == std::string::npos)
    return failure(ErrorKind::input, "a { in the text has no }", "", kHowToQuote);
  const auto no_figure = [&] {
    return failure(ErrorKind::input, "“{" + quote.inside + "}” is not a figure", "", kHowToQuote);
  };
  if (quote.is_expression()) {
    const Result<Claim> claim = parse_claim(quote.inside, scene);
    if (!claim && find_metric(quote.inside) != nullptr) return no_figure();
    if (!claim) return tl::unexpected(claim.error());
    return {};
  }
  if (quote.name.empty() || (quote.is_ratio() && quote.second().empty())) return no_figure();
  if (quote.is_ratio()) {
    return check_variant(quote.first(), scene).and_then([&] {
      return check_variant(quote.second(), scene);
    });
  }
  const Metric* metric = find_metric(quote.id);
  if (metric == nullptr) {
    std::vector<std::string> names = {"ratio"};
    for (const Metric& each : all_metrics()) names.push_back(each.id);
    for (const WorkTerm& term : scene.work_terms) names.push_back(term.id);
    return unknown("metric", quote.id, names);
  }
  if (metric->source == MetricSource::emulator) {
    return failure(ErrorKind::input,
                   "“" + quote.id + "” is emulated, but a text quotes measurements", "",
                   "quote the counter of the same name without “emulated.”");
  }
  return check_variant(quote.name, scene);
}

Result<void> check_words(std::string_view words, const Scene& scene) {
  for (const Quote& quote : quotes_in(words)) {
    if (quote.inside == "why") continue;
    if (Result<void> good = check_quote(quote, scene); !good) return good;
  }
  return {};
}

Result<void> check_claim(const ClaimPart& part, const Scene& scene) {
  if (part.cases.front().expression.empty())
    return failure(ErrorKind::input, "[[" + part.cases.front().words + "]] has no relation", "",
                   "write [[relation => words | other words || words where it is not known]]");
  for (std::size_t at = 0; at < part.cases.size(); ++at) {
    const ClaimCase& each = part.cases[at];
    if (each.expression.empty() && at + 1 < part.cases.size())
      return failure(ErrorKind::input,
                     "words without a relation must be last: “" + each.words + "”", "",
                     "put them last");
    if (!each.expression.empty()) {
      if (const Result<Claim> claim = parse_claim(each.expression, scene); !claim)
        return tl::unexpected(claim.error());
    }
    if (Result<void> good = check_words(each.words, scene); !good) return good;
  }
  return check_words(part.unknown, scene);
}

}  // namespace

std::vector<ClaimPart> parts_of(std::string_view text) {
  std::vector<ClaimPart> parts;
  while (!text.empty()) {
    const std::size_t open = text.find("[[");
    const std::size_t close = open == std::string_view::npos ? open : text.find("]]", open);
    ClaimPart plain;
    plain.plain = std::string(close == std::string_view::npos ? text : text.substr(0, open));
    if (!plain.plain.empty()) parts.push_back(std::move(plain));
    if (close == std::string_view::npos) break;
    parts.push_back(claim_of(text.substr(open + 2, close - open - 2)));
    text = text.substr(close + 2);
  }
  return parts;
}

std::string resolve(std::string_view text, const ClaimContext& asked,
                    const InsteadOfFigure& missing, const InsteadOfExpression& without) {
  ClaimContext context = asked;
  context.device_uuid = device_at_hand(asked);
  std::string chosen;
  for (const ClaimPart& part : parts_of(text))
    part.is_claim() ? append_words(chosen, decided(part, context)) : append(chosen, part.plain);
  while (!chosen.empty() && chosen.back() == ' ') chosen.pop_back();
  return Filling(context, missing, without).of(chosen);
}

Result<void> check_text(std::string_view text, const Scene& scene) {
  for (const ClaimPart& part : parts_of(text)) {
    if (!part.is_claim() &&
        (part.plain.find("[[") != std::string::npos || part.plain.find("]]") != std::string::npos))
      return failure(ErrorKind::input, "a [[ in the text has no ]]", "", "close the claim");
    Result<void> good = part.is_claim() ? check_claim(part, scene) : check_words(part.plain, scene);
    if (!good) return good;
  }
  return {};
}

std::vector<QuotedFigure> figures_in(std::string_view text, const Scene& scene,
                                     const Configuration& axes) {
  std::vector<QuotedFigure> figures;
  const auto add = [&figures](QuotedFigure figure) {
    if (std::find(figures.begin(), figures.end(), figure) == figures.end())
      figures.push_back(std::move(figure));
  };
  const auto add_expression = [&](const std::string& expression) {
    const Result<Claim> claim = parse_claim(expression, scene);
    if (!claim) return;
    for (NeededFigure& needed : needed_figures(*claim, scene, axes))
      add({std::move(needed.id), std::move(needed.variant)});
  };
  const auto add_words = [&](std::string_view words) {
    for (const Quote& quote : quotes_in(words)) {
      if (quote.end == std::string_view::npos) continue;
      if (quote.is_expression()) {
        add_expression(quote.inside);
      } else if (quote.is_ratio()) {
        add({"time.warm", quote.first()});
        if (!quote.second().empty()) add({"time.warm", quote.second()});
      } else if (!quote.name.empty()) {
        add({quote.id, quote.name});
      }
    }
  };
  for (const ClaimPart& part : parts_of(text)) {
    add_words(part.plain);
    for (const ClaimCase& each : part.cases) {
      if (!each.expression.empty()) add_expression(each.expression);
      add_words(each.words);
    }
    add_words(part.unknown);
  }
  return figures;
}

}  // namespace warpscope
