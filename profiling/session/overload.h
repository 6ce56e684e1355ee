// profiling/session/overload.h: several lambdas as one visitor of a std::variant.
#pragma once

// One lambda for each alternative. An alternative without one does not compile, so that a new kind
// of message or request is not forgotten:
//
//   std::visit(Overload{[](const Cancel& cancel) { … }, [](const Done& done) { … }}, message);

namespace warpscope {

template <class... Ts>
struct Overload : Ts... {
  using Ts::operator()...;
};
template <class... Ts>
Overload(Ts...) -> Overload<Ts...>;

}  // namespace warpscope
