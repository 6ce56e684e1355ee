// profiling/capture/requests.cpp: requests as JSON and back.
#include "profiling/capture/requests.h"

#include <nlohmann/json.hpp>
#include <vector>

namespace warpscope {
namespace {

using nlohmann::json;

json encoded(const CaptureRequest& request) {
  if (const auto* stop = std::get_if<StopRequest>(&request))
    return {{"type", "stop"}, {"id", stop->id}};
  const auto& take = std::get<TakeRequest>(request);
  json object = {{"type", "take"},
                 {"id", take.id},
                 {"symbol", take.symbol},
                 {"kernel", take.kernel},
                 {"range", take.range}};
  if (take.like) {
    const Dim3 &g = take.like->grid, &b = take.like->block;
    object["shape"] = {g.x, g.y, g.z, b.x, b.y, b.z, take.like->dynamic_shared_bytes};
  }
  return object;
}

std::optional<CaptureRequest> decoded(const json& object) {
  const std::string type = object.at("type");
  if (type == "stop") return StopRequest{object.at("id")};
  if (type != "take") return std::nullopt;
  TakeRequest take{object.at("id"), object.at("symbol"), object.at("kernel"), object.at("range"),
                   std::nullopt};
  if (const auto shape = object.find("shape"); shape != object.end()) {
    const auto numbers = shape->get<std::vector<std::int64_t>>();
    if (numbers.size() != 7) return std::nullopt;
    take.like.emplace();
    take.like->grid = {numbers[0], numbers[1], numbers[2]};
    take.like->block = {numbers[3], numbers[4], numbers[5]};
    take.like->dynamic_shared_bytes = numbers[6];
  }
  return take;
}

}  // namespace

std::string request_line(const CaptureRequest& request) {
  return encoded(request).dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}

std::optional<CaptureRequest> request_of(const std::string& line) {
  try {
    return decoded(json::parse(line));
  } catch (const json::exception&) {
    return std::nullopt;
  }
}

}  // namespace warpscope
