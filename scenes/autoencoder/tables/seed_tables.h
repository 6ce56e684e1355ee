// scenes/autoencoder/tables/seed_tables.h: the tables that the seed behind the scene left empty.
#pragma once

#include <string>
#include <vector>

#include "scenes/article_table.h"

namespace warpscope::autoencoder {

// Traffic, workspace; occupancy, times, targets; the checklist; and what stands behind the seed's
// levels.
std::vector<ArticleTable> seed_tables();

std::vector<ArticleTable> traffic_tables();  // in traffic_tables.cpp
std::vector<ArticleTable> time_tables();     // in time_tables.cpp
std::vector<ArticleTable> beyond_tables();   // in beyond_tables.cpp

// The seed's three levels on the GPU, and the rows that stand for them.
struct SeedLevel {
  std::string title;             // "Naive"
  std::string layer, step;       // variants of part conv and of part step
  std::string pool, upsampling;  // of their parts; empty: there is no row of its own
};
const std::vector<SeedLevel>& seed_levels();

inline constexpr double kBytesOfMib = 1024 * 1024;
// "64.78"; of less than 1 three decimals.
std::string mib_text(double bytes);

}  // namespace warpscope::autoencoder
