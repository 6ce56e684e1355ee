// scenes/base/axis.h: what a person can vary (an axis) and one choice of all of it (a
// configuration).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "scenes/host/result.h"

// An Axis is a row of values. A Configuration maps axis names to values of the right kind.
//
//   Configuration c = default_configuration(scene.axes);  // axes of variants are not set …
//   Result<Configuration> d = with_values(scene.axes, c, {{"n", "256"}, {"p", "0.05"}});
//   Configuration e = for_variant(scene.axes, *d, "rows_per_block");  // … its own are, others not
//   e.integer("n"), e.integer("unroll");                        // 256, 4
//   configuration_key(scene.axes, *d, "rows_per_block");        // "m=10000,…,n=256,…,unroll=4"
//   problem_key(scene.axes, *d);                                // "m=10000,…,n=256,…"
//
// An axis belongs to the problem, which every variant is asked, or to some variants, whose tuning
// it is. One that nobody set stands at each variant's own default; a value that a person sets
// holds for all variants that have the axis.

namespace warpscope {

using AxisValue = std::variant<std::int64_t, double, std::string>;

class Configuration {
 public:
  void set(const std::string& axis, AxisValue value) {
    values_[axis] = std::move(value);
    stamp_ = Stamp::fresh();
  }
  void unset(const std::string& axis) {
    if (values_.erase(axis) != 0) stamp_ = Stamp::fresh();
  }
  bool has(const std::string& axis) const { return values_.count(axis) != 0; }
  // Reading an axis that is not there, or as another kind, is a defect of the caller: it throws
  // std::out_of_range or std::bad_variant_access, which is never caught as an expected failure.
  const AxisValue& at(const std::string& axis) const { return values_.at(axis); }
  std::int64_t integer(const std::string& axis) const {
    return std::get<std::int64_t>(values_.at(axis));
  }
  // Integers read as reals as well.
  double real(const std::string& axis) const;
  const std::string& text(const std::string& axis) const {
    return std::get<std::string>(values_.at(axis));
  }
  // The numbers of a list.
  std::vector<double> list(const std::string& axis) const;
  const std::map<std::string, AxisValue>& values() const { return values_; }
  // Comparing with an unchanged copy takes one comparison of numbers.
  bool operator==(const Configuration& other) const {
    return stamp_.same_as(other.stamp_) || values_ == other.values_;
  }

 private:
  // Which change made the values: copies have it too, what is moved from has none.
  class Stamp {
   public:
    Stamp() = default;
    Stamp(const Stamp&) = default;
    Stamp& operator=(const Stamp&) = default;
    Stamp(Stamp&& from) noexcept : change_(std::exchange(from.change_, 0)) {}
    Stamp& operator=(Stamp&& from) noexcept {
      change_ = std::exchange(from.change_, 0);
      return *this;
    }
    ~Stamp() = default;
    static Stamp fresh();  // unlike any before it
    bool same_as(const Stamp& other) const { return change_ != 0 && change_ == other.change_; }

   private:
    std::uint64_t change_ = 0;  // counted over the whole process; 0: none
  };

  std::map<std::string, AxisValue> values_;
  Stamp stamp_;
};

// A toggle is a choice of "off" and "on". A text is typed and checked against a rule ("11110000").
// A list is numbers between commas ("92,46,23"). Files, texts and lists are kept as their text.
enum class AxisKind { integer, real, choice, file, text, list };
enum class AxisScale { linear, log };
enum class Binding { argument, launch_shape, compile_time, input };  // what a move of it changes

struct Axis {
  std::string name;         // "n": command line, sessions, range names
  std::string label;        // "columns of B"
  std::string unit;         // "columns", "rows", "ratio"; empty for choices
  std::string description;  // one sentence for the tooltip
  AxisKind kind = AxisKind::integer;
  AxisScale scale = AxisScale::linear;
  Binding binds = Binding::argument;
  double minimum = 0;        // the slider's range …
  double maximum = 0;        //
  double typed_minimum = 0;  // … and what may be typed, which can be wider
  double typed_maximum = 0;  //
  AxisValue default_value = std::int64_t{0};
  std::vector<double> stops;         // marks at which a dragged slider holds; empty: none
  std::vector<std::string> choices;  // for AxisKind::choice
  std::string linked_to;             // moves with this axis until the person unlinks it
  // Whether the axis means anything at this configuration ("alpha" only for power law rows).
  // Null: always. An axis that does not apply is hidden and left out of keys.
  std::function<bool(const Configuration&)> applies;
  // The variants that have this axis (the tile of one kernel); empty: it belongs to the problem.
  // The key of a point has the problem's axes and its own variant's.
  std::vector<std::string> of_variants;
  std::map<std::string, AxisValue> defaults_of;  // by variant, where its own default is another one
  // What the kernels did before this axis existed: the value of points recorded without it. Empty:
  // the default.
  std::optional<AxisValue> before;
  std::map<std::string, AxisValue> befores_of;  // by variant, where its own was another one
  std::vector<std::string> takes;  // of a file: endings of names (".mtx"); "/": a folder
  // For texts: the rule that is broken, with the remedy. Null: any text. error: usage.
  std::function<Result<void>(std::string_view)> admit_text;
  std::size_t minimum_items = 1, maximum_items = 64;  // of a list; each within the typed range
};

// A row for a number (integer or real); what may be typed is the slider's range until it is
// widened.
Axis number_axis(std::string name, std::string label, std::string unit, std::string description,
                 AxisKind kind, AxisScale scale, Binding binds, double minimum, double maximum,
                 AxisValue default_value);
// The same for a whole number, with its stops.
Axis whole_axis(std::string name, std::string label, std::string unit, std::string description,
                AxisScale scale, Binding binds, double minimum, double maximum,
                std::int64_t default_value, std::vector<double> stops = {});
// The axis with another range for what may be typed.
Axis typed_from(Axis axis, double minimum, double maximum);
// The axis where `holds` is true alone.
Axis only_where(Axis axis, bool (*holds)(const Configuration&));
// A row for a choice; the first one is the default.
Axis choice_axis(std::string name, std::string label, std::string description,
                 std::vector<std::string> choices, Binding binds = Binding::input);

bool applies(const Axis& axis, const Configuration& configuration);
bool of_problem(const Axis& axis);
bool of_variant(const Axis& axis, std::string_view variant);  // the problem's axes are everyone's
const Axis* find_axis(const std::vector<Axis>& axes, std::string_view name);
// The problem's axes at their defaults; those of variants are not set.
Configuration default_configuration(const std::vector<Axis>& axes);
// What stands where nobody set the axis: the variant's own default, or the axis's.
const AxisValue& default_of(const Axis& axis, std::string_view variant);
// What a point of the variant had that was recorded before the axis was there.
const AxisValue& before_of(const Axis& axis, std::string_view variant);
// The value that is set, else that default: what a slider shows.
const AxisValue& value_of(const Axis& axis, const Configuration& configuration,
                          std::string_view variant);
// What a variant runs at: every axis of the problem and of its own is set, and those of other
// variants are not there.
Configuration for_variant(const std::vector<Axis>& axes, const Configuration& configuration,
                          std::string_view variant);
// Every axis is set, those of variants too: inputs are made from this.
Configuration with_defaults(const std::vector<Axis>& axes, const Configuration& configuration);

// Parses one typed value. error: usage, naming axis, value, permitted range or choices.
Result<AxisValue> parse_axis_value(const Axis& axis, std::string_view text);

// `base` with the texts of `changes` parsed and checked over it; linked axes that are not named in
// `changes` follow the axis they are linked to. error: usage (unknown axis: names the nearest one).
Result<Configuration> with_values(const std::vector<Axis>& axes, const Configuration& base,
                                  const std::map<std::string, std::string>& changes);

// "10000", "0.02" (shortest text that reads back as the same double), "hetero".
std::string to_text(const AxisValue& value);

// "m=10000,k=10000,p=0.02": the applying axes of the problem and of the variant in axis order, as
// for_variant completes them. Names a point in sessions and ranges.
std::string configuration_key(const std::vector<Axis>& axes, const Configuration& configuration,
                              std::string_view variant);
// The same of the problem's axes alone: what two variants must share to be compared.
std::string problem_key(const std::vector<Axis>& axes, const Configuration& configuration);
// A key back into values; axes that it does not name are not set. No value if it names none of
// these axes, an unknown axis, or an invalid value.
std::optional<Configuration> parse_key(const std::vector<Axis>& axes, std::string_view key);

// Expands "1,2,4" and "lo:hi:n" (n points, log spaced on a log axis, ends included, integers
// rounded and made unique) for sweeps. For a text or a list it is one value. error: usage.
Result<std::vector<AxisValue>> parse_axis_range(const Axis& axis, std::string_view text);

}  // namespace warpscope
