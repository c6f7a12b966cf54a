// SPDX-License-Identifier: BSD-2-Clause
// tactum_compare: measures cells and writes one JSON object a line; tools/compare_report.py makes
// the table, the rows and the pictures.
//
//   tactum_compare [--group narrow|derivative] [--quick] [--seed N] [--filter REGEX] [--out FILE]
//   tactum_compare [--group NAME] --list
//   tactum_compare --count LIBRARY --setting TEXT --cell NAME --rounds N (only runs the queries: to
//   count instructions)
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <regex>
#include <stdexcept>

#include <unistd.h>

#include "cells.hpp"
#include "measure.hpp"

namespace tactum::compare {

namespace {

std::vector<std::unique_ptr<Library>> make_libraries(const std::string& group) {
  if (group == "derivative") {
    std::vector<std::unique_ptr<Library>> libraries = make_derivatives();
    libraries.push_back(make_coal());
    return libraries;
  }
  std::vector<std::unique_ptr<Library>> libraries;
  libraries.push_back(make_tactum());
  libraries.push_back(make_batch(1));
  libraries.push_back(make_batch(2));
  libraries.push_back(make_coal());
#ifdef TACTUM_COMPARE_FCL
  libraries.push_back(make_fcl());
#endif
#ifdef TACTUM_COMPARE_BULLET
  libraries.push_back(make_bullet());
#endif
  return libraries;
}

struct Arguments {
  std::string group = "narrow";
  bool quick = false;
  bool list = false;
  std::uint64_t seed = 0;
  std::string filter = ".*";
  std::string out = "/dev/stdout";
  std::string count;
  std::string setting;
  std::string cell;
  int rounds = 1;
};

Arguments parse(int argc, char** argv) {
  Arguments arguments;
  for (int i = 1; i < argc; ++i) {
    const std::string flag = argv[i];
    if (flag == "--quick" || flag == "--list") {
      (flag == "--quick" ? arguments.quick : arguments.list) = true;
      continue;
    }
    if (++i == argc) throw std::invalid_argument(flag + " is unknown or lacks its value");
    if (flag == "--group")
      arguments.group = argv[i];
    else if (flag == "--seed")
      arguments.seed = std::stoull(argv[i]);
    else if (flag == "--filter")
      arguments.filter = argv[i];
    else if (flag == "--out")
      arguments.out = argv[i];
    else if (flag == "--count")
      arguments.count = argv[i];
    else if (flag == "--setting")
      arguments.setting = argv[i];
    else if (flag == "--cell")
      arguments.cell = argv[i];
    else if (flag == "--rounds")
      arguments.rounds = std::stoi(argv[i]);
    else
      throw std::invalid_argument(flag + " is unknown");
  }
  return arguments;
}

void write(std::ostream& out, const Cell& cell, const std::vector<Column>& columns) {
  out.precision(6);
  out << "{\"case\": \"" << cell.name << "\", \"family\": \"" << cell.family << "\", \"task\": \""
      << task_name(cell.task) << "\", \"poses\": \"" << cell.poses << "\", \"gap\": " << cell.gap
      << ", \"queries\": " << cell.queries.size() << ", \"columns\": [";
  const char* separator = "";
  for (const Column& column : columns) {
    out << separator << "{\"library\": \"" << column.library << "\", \"setting\": \""
        << column.setting << "\", \"median\": " << column.median
        << ", \"spread\": " << column.spread << ", \"mean\": " << column.mean
        << ", \"distance_error\": " << column.distance_error
        << ", \"normal_error\": " << column.normal_error
        << ", \"jacobian_difference\": " << column.jacobian_difference
        << ", \"failures\": " << column.failures << "}";
    separator = ", ";
  }
  out << "]}" << std::endl;
}

/// One line that is written over on a terminal; in a log, a line for every tenth cell.
void show_progress(std::size_t cell, std::size_t total, const std::string& name) {
  if (isatty(STDERR_FILENO)) {
    std::fprintf(stderr, "\r[%zu/%zu] %-50s", cell, total, name.c_str());
  } else if (cell % 10 == 1) {
    std::fprintf(stderr, "[%zu/%zu] %s\n", cell, total, name.c_str());
  }
}

void measure_cells(const Arguments& arguments, const std::vector<CellPlan>& cells) {
  const Plan plan = arguments.quick ? Plan{.pairs = 3, .poses = 4, .seed = arguments.seed}
                                    : Plan{.seed = arguments.seed};
  const Effort effort = arguments.quick ? Effort{.seconds = 0.0, .min_rounds = 1} : Effort{};
  std::ofstream out(arguments.out);
  if (!out) throw std::invalid_argument("cannot write " + arguments.out);
  const std::vector<std::unique_ptr<Library>> libraries = make_libraries(arguments.group);
  Family family;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    show_progress(i + 1, cells.size(), cells[i].name());
    if (i == 0 || cells[i].family != cells[i - 1].family || cells[i].poses != cells[i - 1].poses) {
      family = make_family(cells[i], plan);
      for (const std::unique_ptr<Library>& library : libraries) library->load(family);
    }
    const Cell cell = make_cell(cells[i], family, plan);
    write(out, cell, measure(cell, family, libraries, effort));
  }
  if (isatty(STDERR_FILENO)) std::fprintf(stderr, "\r%-70s\r", "");
}

/// The bare queries of one side, for a program that counts instructions: the difference of two runs
/// is free of the preparations.
void run_bare(const Arguments& arguments, const CellPlan& plan_of_cell) {
  const Plan plan{.pairs = 4, .poses = 5, .seed = arguments.seed};
  const Family family = make_family(plan_of_cell, plan);
  const Cell cell = make_cell(plan_of_cell, family, plan);
  for (const std::unique_ptr<Library>& library : make_libraries(arguments.group)) {
    if (library->name() != arguments.count) continue;
    library->load(family);
    for (const std::unique_ptr<Side>& side : library->sides(cell)) {
      if (side->setting() != arguments.setting) continue;
      const int count = static_cast<int>(cell.queries.size());
      double sum = 0.0;
      for (int round = 0; round < arguments.rounds; ++round) sum += side->run(0, count);
      std::printf("{\"queries\": %d, \"sum\": %.17g}\n", count, sum);
      return;
    }
  }
  throw std::invalid_argument("there is no library " + arguments.count + " with the setting " +
                              arguments.setting);
}

int run(int argc, char** argv) {
  const Arguments arguments = parse(argc, argv);
  const std::regex filter(arguments.filter);
  if (arguments.group != "narrow" && arguments.group != "derivative")
    throw std::invalid_argument("there is no group " + arguments.group);
  std::vector<CellPlan> chosen;
  for (const CellPlan& cell : arguments.group == "narrow" ? narrow_cells() : derivative_cells()) {
    if (!arguments.count.empty() && cell.name() == arguments.cell) {
      run_bare(arguments, cell);
      return 0;
    }
    if (std::regex_search(cell.name(), filter)) chosen.push_back(cell);
  }
  if (!arguments.count.empty()) throw std::invalid_argument("there is no cell " + arguments.cell);
  if (chosen.empty())
    throw std::invalid_argument("no cell matches " + arguments.filter + "; --list shows all");
  if (arguments.list) {
    for (const CellPlan& cell : chosen) std::printf("%s\n", cell.name().c_str());
  } else {
    measure_cells(arguments, chosen);
  }
  return 0;
}

}  // namespace
}  // namespace tactum::compare

int main(int argc, char** argv) {
  int code = 2;
  try {
    code = tactum::compare::run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "tactum_compare: %s\n", error.what());
  }
  std::fflush(stdout);
  // coal and FCL bring two versions of octomap, whose static objects are freed twice by a normal
  // exit
  std::quick_exit(code);
}
