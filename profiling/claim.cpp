// profiling/claim.cpp: claims read: from a text to a tree whose names are known.
#include "profiling/claim.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <set>

#include "profiling/metric.h"
#include "scenes/nearest.h"

namespace warpscope {
namespace {

constexpr int kDeepest = 64;  // brackets in brackets

struct UnitFactor {
  const char* word;
  double factor;
  const char* unit;
};
constexpr UnitFactor kUnits[] = {{"%", 0.01, "ratio"},  {"ns", 1, "ns"},   {"us", 1e3, "ns"},
                                 {"µs", 1e3, "ns"},     {"ms", 1e6, "ns"}, {"KB", 1e3, "B"},
                                 {"MB", 1e6, "B"},      {"GB", 1e9, "B"},  {"KiB", 1024, "B"},
                                 {"MiB", 1 << 20, "B"}, {"B", 1, "B"}};

constexpr std::array kFunctions = {"min",  "max",       "abs",     "ratio",
                                   "best", "best.cold", "fastest", "fastest.cold"};
constexpr std::array kDeviceFacts = {
    "name", "l2_bytes", "multiprocessors", "capability", "shared_bytes_per_block", "memory_bytes"};
constexpr std::array kRoofs = {"l2", "l1", "shared", "issue"};
constexpr std::array kPointWords = {"binds", "binds.cold", "binding_ratio", "binding_ratio.cold",
                                    "outcome"};

template <std::size_t N>
bool among(const std::array<const char*, N>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}
template <std::size_t N>
std::vector<std::string> list_of(const std::array<const char*, N>& names) {
  return {names.begin(), names.end()};
}

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

class Reader {
 public:
  Reader(std::string_view text, const Scene& scene) : text_(text), scene_(scene) {}

  Result<Claim> read() {
    Result<ClaimNode> root = either();
    if (!root) return tl::unexpected(root.error());
    skip_space();
    if (at_ < text_.size())
      return wrong(at_, "“" + std::string(text_.substr(at_)) + "” is too much",
                   "join two relations by and, or");
    return Claim{std::string(text_), std::make_shared<const ClaimNode>(std::move(*root))};
  }

 private:
  tl::unexpected<Error> wrong(std::size_t at, std::string what, std::string remedy) const {
    return failure(ErrorKind::input, "at " + std::to_string(at + 1) + ": " + std::move(what),
                   "claim “" + std::string(text_) + "”", std::move(remedy));
  }
  tl::unexpected<Error> unknown(std::size_t at, const std::string& kind, const std::string& name,
                                const std::vector<std::string>& names) const {
    return wrong(at, "there is no " + kind + " “" + name + "”", suggest(name, names));
  }

  void skip_space() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool take(std::string_view sign) {
    skip_space();
    if (text_.substr(at_, sign.size()) != sign) return false;
    const bool word = is_word(sign.back());
    if (word && at_ + sign.size() < text_.size() && is_word(text_[at_ + sign.size()])) return false;
    at_ += sign.size();
    return true;
  }

  ClaimNode operation(std::string word, std::size_t at, std::vector<ClaimNode> parts) const {
    ClaimNode node;
    node.kind = ClaimNode::Kind::operation;
    node.word = std::move(word);
    node.at = at;
    node.parts = std::move(parts);
    return node;
  }

  // One level of operators that group to the left.
  template <std::size_t N>
  Result<ClaimNode> joined(const std::array<const char*, N>& signs,
                           Result<ClaimNode> (Reader::*next)()) {
    Result<ClaimNode> left = (this->*next)();
    while (left) {
      skip_space();
      const std::size_t at = at_;
      const auto sign = std::find_if(signs.begin(), signs.end(),
                                     [this](const char* candidate) { return take(candidate); });
      if (sign == signs.end()) break;
      Result<ClaimNode> right = (this->*next)();
      if (!right) return right;
      left = operation(*sign, at, {std::move(*left), std::move(*right)});
    }
    return left;
  }

  Result<ClaimNode> either() {
    if (++depth_ > kDeepest) return wrong(at_, "too many brackets", "write it simpler");
    Result<ClaimNode> node = joined(std::array{"or"}, &Reader::both);
    --depth_;
    return node;
  }
  Result<ClaimNode> both() { return joined(std::array{"and"}, &Reader::negation); }
  Result<ClaimNode> negation() {
    skip_space();
    const std::size_t at = at_;
    bool turned = false;
    while (take("not")) turned = !turned;
    Result<ClaimNode> node = relation();
    if (!node || !turned) return node;
    return operation("not", at, {std::move(*node)});
  }
  // At most one: “a < b < c” is an error, not a comparison of a truth with a figure.
  Result<ClaimNode> relation() {
    Result<ClaimNode> left = sum();
    if (!left) return left;
    skip_space();
    const std::size_t at = at_;
    for (const char* sign : {"<=", ">=", "!=", "<", ">", "=", "~"}) {
      if (!take(sign)) continue;
      Result<ClaimNode> right = sum();
      if (!right) return right;
      return operation(sign, at, {std::move(*left), std::move(*right)});
    }
    return left;
  }
  Result<ClaimNode> sum() { return joined(std::array{"+", "-"}, &Reader::product); }
  Result<ClaimNode> product() { return joined(std::array{"*", "/"}, &Reader::primary); }

  Result<ClaimNode> primary() {
    skip_space();
    const std::size_t at = at_;
    if (at_ >= text_.size()) return wrong(at, "a figure is missing", "write a name or a number");
    if (take("(")) {
      Result<ClaimNode> inside = either();
      if (!inside) return inside;
      if (!take(")"))
        return wrong(at_, "the bracket of " + std::to_string(at + 1) + " is open", "close it");
      return inside;
    }
    if (take("-")) {
      if (++depth_ > kDeepest) return wrong(at, "too many signs", "write it simpler");
      Result<ClaimNode> inside = primary();
      --depth_;
      if (!inside) return inside;
      return operation("-", at, {std::move(*inside)});
    }
    if (text_[at_] == '\'') return words();
    if (is_digit(text_[at_])) return number();
    if (!is_word(text_[at_]))
      return wrong(at, "“" + std::string(text_.substr(at, 1)) + "” begins no figure",
                   "write a name or a number");
    return named();
  }

  Result<ClaimNode> words() {
    const std::size_t at = at_, close = text_.find('\'', at + 1);
    if (close == std::string_view::npos) return wrong(at, "a text has no end", "write 'NT'");
    ClaimNode node;
    node.kind = ClaimNode::Kind::words;
    node.word = std::string(text_.substr(at + 1, close - at - 1));
    node.at = at;
    at_ = close + 1;
    return node;
  }

  // The digits of a number, without what follows: of “64.time” 64.
  std::string_view digits() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
    if (at_ + 1 < text_.size() && text_[at_] == '.' && is_digit(text_[at_ + 1])) {
      for (++at_; at_ < text_.size() && is_digit(text_[at_]);) ++at_;
    }
    std::size_t end = at_;
    if (end < text_.size() && text_[end] == 'e') {
      ++end;
      if (end < text_.size() && (text_[end] == '-' || text_[end] == '+')) ++end;
      if (end < text_.size() && is_digit(text_[end])) {
        while (end < text_.size() && is_digit(text_[end])) ++end;
        at_ = end;
      }
    }
    return text_.substr(begin, at_ - begin);
  }

  Result<ClaimNode> number() {
    ClaimNode node;
    node.at = at_;
    const std::string_view text = digits();
    std::from_chars(text.data(), text.data() + text.size(), node.number);
    skip_space();
    for (const UnitFactor& row : kUnits) {
      if (!take(row.word)) continue;
      node.number *= row.factor;
      node.unit = row.unit;
      break;
    }
    return node;
  }

  std::string word() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_word(text_[at_])) ++at_;
    return std::string(text_.substr(begin, at_ - begin));
  }

  Result<ClaimNode> named() {
    ClaimNode node;
    node.kind = ClaimNode::Kind::name;
    node.at = at_;
    node.name.head = word();
    if (at_ < text_.size() && text_[at_] == '@') {
      if (Result<void> read = settings(node.name); !read) return tl::unexpected(read.error());
    }
    while (at_ + 1 < text_.size() && text_[at_] == '.' && is_word(text_[at_ + 1])) {
      ++at_;
      node.name.path += (node.name.path.empty() ? "" : ".") + word();
    }
    skip_space();
    if (at_ < text_.size() && text_[at_] == '(') return call(std::move(node));
    if (Result<void> known = check(node); !known) return tl::unexpected(known.error());
    return node;
  }

  Result<void> settings(ClaimName& name) {
    do {
      ++at_;  // '@' or ','
      const std::size_t at = at_;
      const std::string axis = word();
      const Axis* row = find_axis(scene_.axes, axis);
      if (row == nullptr) {
        std::vector<std::string> names;
        for (const Axis& each : scene_.axes) names.push_back(each.name);
        return unknown(at, "axis", axis, names);
      }
      if (at_ >= text_.size() || text_[at_] != '=')
        return wrong(at_, "an axis needs a value", "write " + axis + "=VALUE");
      ++at_;
      std::string value;
      if (at_ < text_.size() && text_[at_] == '\'') {
        const std::size_t close = text_.find('\'', at_ + 1);
        if (close == std::string_view::npos) return wrong(at_, "a text has no end", "write 'NT'");
        value = std::string(text_.substr(at_ + 1, close - at_ - 1));
        at_ = close + 1;
      } else if (at_ < text_.size() && is_digit(text_[at_])) {
        value = std::string(digits());
      } else {
        value = word();
      }
      if (Result<AxisValue> good = parse_axis_value(*row, value); !good)
        return wrong(at, good.error().what, good.error().remedy);
      name.settings[axis] = value;
    } while (at_ < text_.size() && text_[at_] == ',' && another_setting());
    return {};
  }
  // Behind a comma: “p=0.05” belongs to the name, “ b.time.warm” is the next argument.
  bool another_setting() const {
    std::size_t at = at_ + 1;
    while (at < text_.size() && is_word(text_[at])) ++at;
    return at > at_ + 1 && at < text_.size() && text_[at] == '=';
  }

  Result<ClaimNode> call(ClaimNode node) {
    node.kind = ClaimNode::Kind::call;
    node.word = node.name.head + (node.name.path.empty() ? "" : "." + node.name.path);
    if (!among(kFunctions, node.word))
      return unknown(node.at, "function", node.word, list_of(kFunctions));
    const bool of_sets = node.word.starts_with("best") || node.word.starts_with("fastest");
    in_set_ = of_sets;
    do {
      at_ += 1;  // '(' or ','
      Result<ClaimNode> part = either();
      if (!part) return part;
      if (of_sets && part->kind != ClaimNode::Kind::name)
        return wrong(part->at, node.word + " takes variants", "write best(family.ours)");
      node.parts.push_back(std::move(*part));
      skip_space();
    } while (at_ < text_.size() && text_[at_] == ',');
    in_set_ = false;
    if (!take(")")) return wrong(at_, node.word + "( is open", "close it");
    const std::size_t count = node.parts.size();
    if ((node.word == "ratio" && count != 2) || (node.word == "abs" && count != 1))
      return wrong(node.at,
                   node.word + " takes " + (node.word == "abs" ? "one figure" : "two figures"),
                   "write ratio(a, b)");
    return node;
  }

  std::vector<std::string> variant_names() const {
    std::vector<std::string> names;
    for (const Variant& variant : scene_.variants) names.push_back(variant.name);
    return names;
  }

  Result<void> check_set(const ClaimNode& node) const {
    const ClaimName& name = node.name;
    if (variants_of(node, scene_, {})) {
      if (!name.settings.empty())
        return wrong(node.at, "a set stands at the configuration at hand", "leave out the @");
      return {};
    }
    std::set<std::string> known = {"all"};
    for (const Variant& variant : scene_.variants) {
      known.insert("family." + variant.family);
      known.insert("like." + variant.name);
    }
    for (const League& league : scene_.leagues) known.insert("league." + league.name);
    std::vector<std::string> names = variant_names();
    names.insert(names.end(), known.begin(), known.end());
    return unknown(node.at, "variant or set",
                   name.head + (name.path.empty() ? "" : "." + name.path), names);
  }

  Result<void> check(const ClaimNode& node) const {
    const ClaimName& name = node.name;
    if (in_set_) return check_set(node);
    if (find_variant(scene_, name.head) != nullptr) return check_figure(node);
    const auto within = [&](const std::string& kind,
                            const std::vector<std::string>& names) -> Result<void> {
      if (!name.settings.empty())
        return wrong(node.at, name.head + " has no configuration", "leave out the @");
      if (std::find(names.begin(), names.end(), name.path) != names.end()) return {};
      return unknown(node.at, kind, name.path, names);
    };
    if (name.head == "device") {
      if (name.path.empty()) return {};
      return within("fact of a device", list_of(kDeviceFacts));
    }
    if (name.head == "axis") {
      std::vector<std::string> names;
      for (const Axis& axis : scene_.axes) names.push_back(axis.name);
      return within("axis", names);
    }
    if (name.head == "fact") return within("fact", {name.path});
    if (name.head == "roof") {
      if (name.path.starts_with("dram.")) return {};  // of whichever mix was measured
      std::vector<std::string> names = list_of(kRoofs);
      for (int pipe = 0; pipe < pipe_count; ++pipe)
        names.push_back("pipe." + pipe_word(static_cast<Pipe>(pipe)));
      return within("roof", names);
    }
    std::vector<std::string> names = variant_names();
    names.insert(names.end(), {"device", "roof", "axis", "fact"});
    return unknown(node.at, "variant", name.head, names);
  }

  Result<void> check_figure(const ClaimNode& node) const {
    const ClaimName& name = node.name;
    if (name.path.empty())
      return wrong(node.at, "“" + name.head + "” is a variant, not a figure",
                   "write " + name.head + ".time.warm");
    if (among(kPointWords, name.path)) return {};
    const Metric* metric = find_metric(name.path);
    if (metric == nullptr) {
      std::vector<std::string> names = list_of(kPointWords);
      for (const Metric& each : all_metrics()) names.push_back(each.id);
      for (const WorkTerm& term : scene_.work_terms) names.push_back(term.id);
      return unknown(node.at, "figure", name.path, names);
    }
    if (metric->source == MetricSource::emulator)
      return wrong(node.at,
                   "“" + name.path + "” is of an emulation, and claims are about measurements",
                   "name the counter without “emulated.”");
    return {};
  }

  std::string_view text_;
  const Scene& scene_;
  std::size_t at_ = 0;
  int depth_ = 0;
  bool in_set_ = false;
};

void collect(const ClaimNode& node, const Scene& scene, const Configuration& axes,
             std::vector<NeededFigure>& found) {
  const auto add = [&found](NeededFigure figure) {
    if (std::find(found.begin(), found.end(), figure) == found.end())
      found.push_back(std::move(figure));
  };
  if (node.kind == ClaimNode::Kind::call &&
      (node.word.starts_with("best") || node.word.starts_with("fastest"))) {
    const std::string id = node.word.ends_with(".cold") ? "time.cold" : "time.warm";
    for (const ClaimNode& part : node.parts) {
      if (const auto variants = variants_of(part, scene, axes)) {
        for (const Variant* variant : *variants) add({variant->name, id});
      }
    }
    return;
  }
  if (node.kind == ClaimNode::Kind::name && find_variant(scene, node.name.head) != nullptr &&
      node.name.settings.empty()) {
    const std::string& path = node.name.path;
    if (path.starts_with("bind")) {
      add({node.name.head, path.ends_with(".cold") ? "time.cold" : "time.warm"});
      for (const char* id : {"dram.bytes_read", "dram.bytes_write", "l2.bytes_to_sm", "l1.bytes"})
        add({node.name.head, id});
    } else {
      add({node.name.head, path == "outcome" ? "time.warm" : path});
    }
  }
  for (const ClaimNode& part : node.parts) collect(part, scene, axes, found);
}

}  // namespace

const char* to_text(ClaimStanding standing) {
  constexpr const char* kWords[] = {"holds", "does not hold", "not known"};
  return kWords[static_cast<int>(standing)];
}

std::string pipe_word(Pipe pipe) {
  constexpr const char* kWords[] = {"fp32",       "half2",      "dp4a",    "mma_f16",
                                    "mma_bf16",   "mma_tf32",   "mma_s8",  "wgmma_f16",
                                    "wgmma_bf16", "wgmma_tf32", "wgmma_s8"};
  static_assert(std::size(kWords) == pipe_count);
  return kWords[static_cast<int>(pipe)];
}

std::optional<std::vector<const Variant*>> variants_of(const ClaimNode& node, const Scene& scene,
                                                       const Configuration& axes) {
  if (node.kind != ClaimNode::Kind::name) return std::nullopt;
  const auto& [head, path, settings] = node.name;
  const Variant* alike = head == "like" ? find_variant(scene, path) : nullptr;
  std::vector<const Variant*> found;
  bool known = head == "all" && path.empty();
  for (const Variant& variant : scene.variants) {
    const bool named = path.empty()       ? head == "all" || variant.name == head
                       : head == "family" ? variant.family == path
                       : head == "league"
                           ? variant.league == path
                           : alike != nullptr && variant.reference == alike->reference &&
                                 variant.accuracy == alike->accuracy &&
                                 variant.league == alike->league;
    if (!named) continue;
    known = true;
    if (axes.values().empty() || applies(variant, axes)) found.push_back(&variant);
  }
  return known ? std::optional(std::move(found)) : std::nullopt;
}

Result<Configuration> configuration_of(const ClaimName& name, const Scene& scene,
                                       const Configuration& axes) {
  if (name.settings.empty()) return axes;
  return with_values(scene.axes, axes.values().empty() ? default_configuration(scene.axes) : axes,
                     name.settings);
}

Result<Claim> parse_claim(std::string_view text, const Scene& scene) {
  constexpr std::size_t kLongest = 4096;
  if (text.size() > kLongest)
    return failure(ErrorKind::input, "a claim has more than 4096 characters", "", "divide it");
  return Reader(text, scene).read();
}

std::vector<NeededFigure> needed_figures(const Claim& claim, const Scene& scene,
                                         const Configuration& axes) {
  std::vector<NeededFigure> found;
  collect(*claim.root, scene, axes, found);
  return found;
}

}  // namespace warpscope
