// scenes/csrmm/inputs/reference.cpp: what C must be, on the device and on the CPU.
#include "scenes/csrmm/inputs/reference.h"

#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "scenes/base/half.h"
#include "scenes/csrmm/steps/kernel_steps.h"
#include "scenes/csrmm/steps/steps.h"

namespace warpscope::csrmm {
namespace {

constexpr std::int64_t kThreads = 128;

std::vector<Step> device_steps(const Workload& w, bool skip_zero) {
  const std::int64_t m = w.integer("m"), k = w.integer("k"), n = w.integer("n");
  const bool transpose = transposed(w.axes);
  const std::vector<std::pair<std::string, std::string>> defines = {
      homo(w), {"SKIP_ZERO", skip_zero ? "1" : "0"}, type(w)};
  const std::int64_t strips = ceil_divide(n, kThreads);
  KernelLaunch product{
      "csrmm/reference.cu",
      transpose ? "csrmm_reference_t" : "csrmm_reference_nt",
      defines,
      {{m, strips, 1}, {kThreads, 1, 1}, 0, {}},
      {BufferArgument{"indptr"}, BufferArgument{"indices"}, BufferArgument{"weights"},
       BufferArgument{"b"}, BufferArgument{"c.reference"}, BufferArgument{"c.accumulation"},
       BufferArgument{"c.magnitude"}, m, n}};
  if (!transpose) return {{"reference", Phase::run, std::move(product)}};
  KernelLaunch scale{"csrmm/reference.cu",
                     "csrmm_reference_t_scale",
                     defines,
                     {{k, strips, 1}, {kThreads, 1, 1}, 0, {}},
                     {BufferArgument{"column_counts"}, BufferArgument{"c.magnitude"},
                      BufferArgument{"c.accumulation"}, k, n}};
  return {{"clear reference", Phase::run, Memset{"c.reference", 0}},
          {"clear magnitude", Phase::run, Memset{"c.magnitude", 0}},
          {"reference", Phase::run, std::move(product)},
          {"scale", Phase::run, std::move(scale)}};
}

// Elements of any stored type as f64, which holds all of them exactly.
class StoredElements {
 public:
  explicit StoredElements(const HostArray& array) : type_(array.type()) {
    if (type_ == ElementType::f32) {
      floats_ = array.elements<float>();
    } else if (type_ == ElementType::f64) {
      doubles_ = array.elements<double>();
    } else {
      halves_ = array.elements<std::uint16_t>();
    }
  }
  double operator[](std::int64_t i) const {
    if (type_ == ElementType::f32) return floats_[i];
    if (type_ == ElementType::f64) return doubles_[i];
    return type_ == ElementType::f16 ? from_f16(halves_[i]) : from_bf16(halves_[i]);
  }

 private:
  ElementType type_;
  ElementsOf<float> floats_;
  ElementsOf<double> doubles_;
  ElementsOf<std::uint16_t> halves_;
};

struct HostCsr {
  std::span<const std::int32_t> indptr, indices, counts;
  StoredElements weights, b;
  bool homo = false;
  std::int64_t n = 0;
  double weight(std::size_t j) const { return weights[homo ? 0 : static_cast<std::int64_t>(j)]; }
};

// A sum of products that keeps what f64 rounds away, so that it can judge f64.
class ExactSum {
 public:
  void add(double a, double b, bool skip_zero) {
    if (skip_zero && b == 0) return;
    const double product = a * b, before = sum_;
    sum_ += product;
    magnitude_ += std::abs(product);
    if (!std::isfinite(sum_) || !std::isfinite(product)) return;
    const double taken = sum_ - before;
    rest_ += (before - (sum_ - taken)) + (product - taken) + std::fma(a, b, -product);
  }
  double value() const { return std::isfinite(sum_) ? sum_ + rest_ : sum_; }
  double magnitude() const { return magnitude_; }

 private:
  double sum_ = 0, rest_ = 0, magnitude_ = 0;
};

ReferenceValue value_of(const ExactSum& sum, double terms) {
  ReferenceValue value;
  value.value = sum.value();
  value.magnitude = sum.magnitude();
  value.accumulation = value.magnitude * std::sqrt(terms);
  return value;
}

void host_gather(const HostCsr& csr, bool skip_zero, std::span<const std::int64_t> elements,
                 std::span<ReferenceValue> values) {
  for (std::size_t e = 0; e < elements.size(); ++e) {
    const auto row = static_cast<std::size_t>(elements[e] / csr.n);
    const auto column = elements[e] % csr.n;
    ExactSum sum;
    const auto begin = static_cast<std::size_t>(csr.indptr[row]);
    const auto end = static_cast<std::size_t>(csr.indptr[row + 1]);
    for (std::size_t j = begin; j < end; ++j) {
      sum.add(csr.weight(j), csr.b[csr.indices[j] * csr.n + column], skip_zero);
    }
    values[e] = value_of(sum, static_cast<double>(end - begin));
  }
}

// One pass over A finds the entries in the wanted columns.
void host_scatter(const HostCsr& csr, bool skip_zero, std::span<const std::int64_t> elements,
                  std::span<ReferenceValue> values) {
  std::multimap<std::int64_t, std::size_t> wanted;  // column of A → element
  std::vector<bool> needed(csr.counts.size(), false);
  std::vector<ExactSum> sums(elements.size());
  for (std::size_t e = 0; e < elements.size(); ++e) {
    const std::int64_t column = elements[e] / csr.n;
    wanted.emplace(column, e);
    needed[static_cast<std::size_t>(column)] = true;
  }
  for (std::size_t row = 0; row + 1 < csr.indptr.size(); ++row) {
    const auto begin = static_cast<std::size_t>(csr.indptr[row]);
    const auto end = static_cast<std::size_t>(csr.indptr[row + 1]);
    for (std::size_t j = begin; j < end; ++j) {
      if (!needed[static_cast<std::size_t>(csr.indices[j])]) continue;
      const auto [first, last] = wanted.equal_range(csr.indices[j]);
      for (auto at = first; at != last; ++at) {
        const auto b = static_cast<std::int64_t>(row) * csr.n + elements[at->second] % csr.n;
        sums[at->second].add(csr.weight(j), csr.b[b], skip_zero);
      }
    }
  }
  for (std::size_t e = 0; e < elements.size(); ++e) {
    const auto count = csr.counts[static_cast<std::size_t>(elements[e] / csr.n)];
    values[e] = value_of(sums[e], static_cast<double>(count));
  }
}

Reference make(std::string name, std::string sentence, bool skip_zero) {
  return {std::move(name), std::move(sentence),
          [skip_zero](const Workload& w) { return device_steps(w, skip_zero); },
          [skip_zero](const Workload& w, const Inputs& inputs, const std::string&,
                      std::span<const std::int64_t> elements, std::span<ReferenceValue> values) {
            HostCsr csr{inputs.at("indptr").as<std::int32_t>(),
                        inputs.at("indices").as<std::int32_t>(),
                        inputs.at("column_counts").as<std::int32_t>(),
                        StoredElements(inputs.at("weights")), StoredElements(inputs.at("b"))};
            csr.homo = w.text("weights") == "homo";
            csr.n = w.integer("n");
            (transposed(w.axes) ? host_scatter : host_gather)(csr, skip_zero, elements, values);
          }};
}

}  // namespace

std::vector<Reference> references() {
  return {make("ieee", "All stored entries of A count, also at zeros of B.", false),
          make("skip_zero", "Terms whose element of B is zero are left out.", true)};
}

}  // namespace warpscope::csrmm
