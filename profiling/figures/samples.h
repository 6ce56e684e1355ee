// profiling/figures/samples.h: the samples of a time, kept in half the memory where that is exact.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <utility>
#include <variant>
#include <vector>

// A large session has fifty million samples. Sessions keep tenths of a nanosecond, so that a sample
// below 0.4 s is a whole number of 32 bits; dividing it by ten gives the same double that was read.
// Other samples are kept as doubles. The class reads like a std::vector<double>.

namespace warpscope {

class Samples {
 public:
  Samples() = default;
  // NOLINTBEGIN(google-explicit-constructor): it stands wherever a list of numbers does
  Samples(const std::vector<double>& samples) { assign(samples); }
  Samples(std::initializer_list<double> samples) { assign(samples); }
  // NOLINTEND(google-explicit-constructor)

  std::size_t size() const {
    return std::visit([](const auto& list) { return list.size(); }, kept_);
  }
  bool empty() const { return size() == 0; }
  double front() const { return (*this)[0]; }
  double operator[](std::size_t at) const {
    if (const auto* tenths = std::get_if<Tenths>(&kept_)) return (*tenths)[at] / kTenths;
    return std::get<Exact>(kept_)[at];
  }
  void push_back(double sample) {
    auto* tenths = std::get_if<Tenths>(&kept_);
    if (tenths != nullptr && are_tenths(sample)) return tenths->push_back(tenths_of(sample));
    if (tenths != nullptr) kept_ = Exact(begin(), end());
    std::get<Exact>(kept_).push_back(sample);
  }

  class Iterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = double;
    using difference_type = std::ptrdiff_t;
    using pointer = const double*;
    using reference = double;
    Iterator() = default;
    Iterator(const Samples* of, std::size_t at) : of_(of), at_(at) {}
    double operator*() const { return (*of_)[at_]; }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    Iterator operator++(int) { return {of_, at_++}; }
    bool operator==(const Iterator&) const = default;

   private:
    const Samples* of_ = nullptr;
    std::size_t at_ = 0;
  };
  using value_type = double;
  using const_iterator = Iterator;
  using iterator = Iterator;
  Iterator begin() const { return {this, 0}; }
  Iterator end() const { return {this, size()}; }
  void scale(double factor) {
    std::vector<double> scaled = values();
    for (double& sample : scaled) sample *= factor;
    assign(scaled);
  }
  std::vector<double> values() const { return {begin(), end()}; }
  std::vector<double> sorted() const;
  std::int64_t bytes() const {
    return std::visit(
        [](const auto& list) {
          return static_cast<std::int64_t>(list.capacity() * sizeof list[0]);
        },
        kept_);
  }
  bool operator==(const Samples& other) const { return values() == other.values(); }

 private:
  static constexpr double kTenths = 10;
  using Tenths = std::vector<std::uint32_t>;
  using Exact = std::vector<double>;

  static std::uint32_t tenths_of(double sample) {
    return static_cast<std::uint32_t>(std::lround(sample * kTenths));
  }
  static bool are_tenths(double sample) {
    constexpr double kMost = std::numeric_limits<std::uint32_t>::max() / kTenths;
    return !std::signbit(sample) && sample < kMost && tenths_of(sample) / kTenths == sample;
  }
  template <typename List>
  void assign(const List& samples) {
    Tenths tenths;
    tenths.reserve(samples.size());
    for (const double sample : samples) {
      if (!are_tenths(sample)) {
        kept_ = Exact(samples.begin(), samples.end());
        return;
      }
      tenths.push_back(tenths_of(sample));
    }
    kept_ = std::move(tenths);
  }

  std::variant<Tenths, Exact> kept_;
};

}  // namespace warpscope
