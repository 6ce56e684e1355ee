// scenes/autoencoder/steps/loss_steps.cpp: the steps of the loss and of the SGD update.
#include <algorithm>
#include <utility>

#include "scenes/autoencoder/steps/steps.h"

namespace warpscope::autoencoder {
namespace {

constexpr std::int64_t kMostPartialSums = 256;  // what the second stage's one block adds up

std::int64_t partial_sums(std::int64_t values) {
  return std::min(kMostPartialSums, ceil_divide(values, kBlockThreads));
}

Step loss_kernel(std::string name, const std::string& source, const std::string& entry,
                 std::int64_t blocks, std::vector<Argument> arguments) {
  return run_kernel(std::move(name),
                    kernel_of_threads("autoencoder/" + source, entry, blocks * kBlockThreads,
                                      std::move(arguments)));
}

Step clear_loss() { return {"clear loss", Phase::run, Memset{"loss", 0}}; }

Step gradient_step(const BufferArgument& p, const BufferArgument& t, const BufferArgument& dp,
                   std::int64_t count) {
  return loss_kernel("gradient", "loss_gradient.cu", "loss_gradient",
                     ceil_divide(count, kBlockThreads), {p, t, dp, count});
}

}  // namespace

Step sgd_step(const Workload& w, std::string name, std::int64_t first, std::int64_t count,
              const std::string& slopes, const std::string& parameters) {
  const std::int64_t offset = first * element_bytes(ElementType::f32);
  return run_kernel(std::move(name), kernel_of_threads("autoencoder/sgd.cu", "sgd", count,
                                                       {BufferArgument{slopes, offset},
                                                        BufferArgument{parameters, offset}, count,
                                                        static_cast<float>(w.real("lr"))}));
}

Steps loss_atomic_steps(std::int64_t values, const std::string& p, const std::string& t,
                        const std::string& dp) {
  return {clear_loss(),
          loss_kernel("loss", "loss_atomic_per_element.cu", "loss_atomic_per_element",
                      ceil_divide(values, kBlockThreads),
                      {BufferArgument{p}, BufferArgument{t}, BufferArgument{"loss"}, values}),
          gradient_step({p}, {t}, {dp}, values)};
}

Steps loss_two_stage_steps(std::int64_t values, const std::string& p, const std::string& t,
                           const std::string& dp) {
  const std::int64_t sums = partial_sums(values);
  const BufferArgument partial{"partial_sums"};
  return {loss_kernel("partial sums", "loss_two_stage.cu", "loss_two_stage", sums,
                      {BufferArgument{p}, BufferArgument{t}, partial, values}),
          loss_kernel("add up", "loss_two_stage.cu", "add_partial_sums", 1,
                      {partial, BufferArgument{"loss"}, as_int(sums), values}),
          gradient_step({p}, {t}, {dp}, values)};
}

Steps loss_steps(const Workload& w, const std::string& technique) {
  const std::int64_t count = image_values(w.axes), blocks = ceil_divide(count, kBlockThreads);
  const BufferArgument p{"p"}, t{"t"}, loss{"loss"}, dp{"dp"}, partial{"partial_sums"};
  const std::int64_t sums = partial_sums(count);
  const Step second = loss_kernel("add up", "loss_two_stage.cu", "add_partial_sums", 1,
                                  {partial, loss, as_int(sums), count});
  if (technique == "loss_fused_gradient")
    return {loss_kernel("loss and gradient", "loss_fused_gradient.cu", technique, sums,
                        {p, t, partial, dp, count}),
            second};
  if (technique == "loss_one_kernel") {
    Step step = one_loss_step(count, "p", "t", "dp");
    step.name = "loss and gradient";
    return {{"no block counted", Phase::prepare, Memset{"arrived", 0}}, std::move(step)};
  }
  const Step gradient = gradient_step(p, t, dp, count);
  if (technique == "loss_two_stage") return loss_two_stage_steps(count, "p", "t", "dp");
  return {clear_loss(),
          loss_kernel("loss", technique + ".cu", technique, blocks, {p, t, loss, count}), gradient};
}

Steps loss_mask_steps(const Workload& w, std::int64_t lanes) {
  Steps steps = loss_steps(w, "loss_masks");
  for (Step& step : steps) {
    auto* kernel = std::get_if<KernelLaunch>(&step.action);
    if (kernel == nullptr || kernel->entry != "loss_masks") continue;
    kernel->defines = {define("LANES", lanes), define("MASK", (std::int64_t{1} << lanes) - 1)};
  }
  return steps;
}

Step one_loss_step(std::int64_t values, const std::string& p, const std::string& t,
                   const std::string& dp) {
  return loss_kernel(
      "", "loss_one_kernel.cu", "loss_one_kernel", partial_sums(values),
      {BufferArgument{p}, BufferArgument{t}, BufferArgument{"partial_sums"},
       BufferArgument{"arrived"}, BufferArgument{"loss"}, BufferArgument{dp}, values});
}

Buffers loss_scratch(const Workload& w) {
  const std::int64_t sums = partial_sums(image_values(w.axes));
  return {
      {"partial_sums", ElementType::f32, sums, BufferRole::scratch, {sums}, "partial_sums[blocks]"},
      {"arrived", ElementType::u32, 1, BufferRole::scratch, {1}, "arrived[1]"}};
}

Steps sgd_ten_steps(const Workload& w) {
  Steps steps;
  for (const Tensor& tensor : tensors_of(w.axes))
    steps.push_back(sgd_step(w, tensor.name, tensor.first, tensor.count));
  return steps;
}

Steps sgd_one_step(const Workload& w) {
  return {sgd_step(w, "all tensors", 0, parameter_count(w.axes))};
}

}  // namespace warpscope::autoencoder
