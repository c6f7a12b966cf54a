// SPDX-License-Identifier: BSD-2-Clause
// The text format of a scene. docs/guide/scenes.md describes it.
//
// Reading    the file is not trusted: it is read by lines, every number is checked, a count may not
//            be larger than the rest of the text can hold, and the first error ends it with the
//            number of its line.
// Exact     numbers are written with the fewest digits that read back as the same double, rotations
//           as nine numbers.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <optional>
#include <unordered_map>

#include "core/format_number.hpp"
#include "core/quote_text.hpp"
#include "scene/mesh_store.hpp"
#include "scene/scene_state.hpp"
#include "tactum/height_field.hpp"
#include "tactum/interrupt.hpp"

namespace tactum {
namespace {

constexpr std::string_view kFirstLine = "tactum-scene 1";
constexpr std::size_t kLargestFile = std::size_t{1} << 31;  // bytes

// -------------------------------------------------------------------------------------------------
// writing

class Writer {
 public:
  std::string text = std::string(kFirstLine) + "\n";

  void word(std::string_view word) {
    if (text.back() != '\n') text += ' ';
    text += word;
  }
  void number(double value) { word(shortest_text(value)); }
  void numbers(const Vector3& v) {
    for (const double value : v) number(value);
  }
  void pose(const Pose& X) {
    for (int row = 0; row < 3; ++row) numbers(X.rotation.row(row));
    numbers(X.translation);
  }
  void end_line() { text += '\n'; }
  void line(std::string_view what, std::initializer_list<SceneId> ids,
            std::initializer_list<double> values = {}) {
    word(what);
    for (const SceneId id : ids) word(std::to_string(id));
    for (const double value : values) number(value);
    end_line();
  }

  void parameters(const Sphere& s) { number(s.radius); }
  void parameters(const Ellipsoid& s) { numbers(s.semi_axes); }
  void parameters(const Box& s) { numbers(s.half_extents); }
  void parameters(const Capsule& s) { number(s.radius), number(s.half_length); }
  void parameters(const Cylinder& s) { number(s.radius), number(s.half_length); }
  void parameters(const Cone& s) { number(s.radius), number(s.half_length); }
  void parameters(const HalfSpace& s) { numbers(s.normal), number(s.offset); }
  void parameters(const Convex& s) {
    const Triangles faces = s.dimension() == 3 ? s.faces() : Triangles(3, 0);
    word(std::to_string(s.num_vertices()));
    word(std::to_string(faces.cols()));
    for (int i = 0; i < s.num_vertices(); ++i) end_line(), numbers(s.vertex(i));
    for (int i = 0; i < faces.cols(); ++i) {
      end_line();
      for (const std::int32_t index : faces.col(i)) word(std::to_string(index));
    }
  }

  void parameters(const Stp& s) {
    number(s.small_radius()), number(s.big_radius());
    word(std::to_string(s.num_points()));
    const Points points = s.points();
    for (const auto& point : points.colwise()) end_line(), numbers(point);
  }

  void heights(const HeightGrid& grid) {
    word("heightfield");
    word(std::to_string(grid.heights.rows()));
    word(std::to_string(grid.heights.cols()));
    number(grid.spacing[0]), number(grid.spacing[1]), number(grid.base);
    for (const auto& row : grid.heights.rowwise()) {
      end_line();
      for (const double height : row) number(height);
    }
    end_line();
  }

  void shape(const Shape& shape) {
    word("shape");
    word(to_string(shape.kind()));
    number(shape.margin());
    std::visit([&](const auto& s) { parameters(s); }, shape.parameters());
    end_line();
  }
};

/// Collects every different geometry once, in the order of first use; shapes come before the
/// compounds made of them.
class GeometryList {
 public:
  explicit GeometryList(Writer& writer) : writer_(writer) {}

  std::size_t number_of(const Geometry& geometry) {
    if (geometry.shape() != nullptr) return number_of(*geometry.shape());
    if (geometry.mesh() != nullptr) return number_of(*geometry.mesh());
    return number_of(*geometry.compound());
  }

 private:
  std::size_t number_of(const Shape& shape) {
    const auto known = shapes_.find(shape);
    if (known != shapes_.end()) return known->second;
    writer_.shape(shape);
    return shapes_[shape] = count_++;
  }

  std::size_t number_of(const Compound& compound) {
    // the parts of a height field as a compound are another geometry
    auto& numbers = compound.height_grid() != nullptr ? height_fields_ : compounds_;
    const auto known = numbers.find(compound);
    if (known != numbers.end()) return known->second;
    if (compound.height_grid() != nullptr) {
      writer_.heights(*compound.height_grid());
    } else {
      write(compound.parts());
    }
    return numbers[compound] = count_++;
  }

  void write(std::span<const CompoundPart> parts) {
    std::vector<std::size_t> shapes;
    for (const CompoundPart& part : parts) shapes.push_back(number_of(part.shape));
    writer_.word("compound");
    writer_.word(std::to_string(shapes.size()));
    for (std::size_t i = 0; i < shapes.size(); ++i) {
      writer_.end_line();
      writer_.word(std::to_string(shapes[i]));
      writer_.pose(parts[i].X_CP);
    }
    writer_.end_line();
  }

  std::size_t number_of(const Mesh& mesh) {
    const MeshReference reference = reference_to(mesh);
    const auto [known, is_new] = meshes_.try_emplace(reference.hash, count_);
    if (!is_new) return known->second;
    writer_.word("mesh");
    writer_.word(reference.hash);
    writer_.word(reference.solid ? "solid" : "surface");
    writer_.number(reference.scale);
    writer_.word(reference.path);
    writer_.end_line();
    return count_++;
  }

  Writer& writer_;
  std::size_t count_ = 0;
  std::unordered_map<Shape, std::size_t> shapes_;
  std::unordered_map<Compound, std::size_t> compounds_, height_fields_;
  std::unordered_map<std::string, std::size_t> meshes_;  ///< by hash
};

// -------------------------------------------------------------------------------------------------
// reading

class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  /// Goes to the next line that is neither empty nor a comment; false at the end.
  bool next_line() {
    while (!rest_.empty()) {
      check_interrupt();
      const std::size_t end = std::min(rest_.find('\n'), rest_.size());
      line_ = rest_.substr(0, end);
      rest_.remove_prefix(std::min(end + 1, rest_.size()));
      ++number_;
      if (!line_.empty() && line_.back() == '\r') line_.remove_suffix(1);
      skip_spaces();
      if (!line_.empty() && line_.front() != '#') return true;
    }
    line_ = {};
    return false;
  }

  void need_line(const char* what) {
    if (!next_line()) fail("the end of the file", std::string("it should go on with ") + what);
  }

  std::string_view word(const char* what) {
    skip_spaces();
    const std::size_t end = std::min(line_.find_first_of(" \t"), line_.size());
    if (end == 0) fail("the end of the line", std::string("it should go on with ") + what);
    const std::string_view found = line_.substr(0, end);
    line_.remove_prefix(end);
    return found;
  }

  double number(const char* what) {
    const std::string_view found = word(what);
    double value = 0.0;
    const auto [end, error] = std::from_chars(found.data(), found.data() + found.size(), value);
    if (error != std::errc{} || end != found.data() + found.size() || !std::isfinite(value)) {
      fail(quoted_text(found), std::string("give ") + what + ", a finite number");
    }
    return value;
  }

  std::int64_t integer(const char* what, std::int64_t least, std::int64_t most) {
    const std::string_view found = word(what);
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(found.data(), found.data() + found.size(), value);
    if (error != std::errc{} || end != found.data() + found.size() || value < least ||
        value > most) {
      fail(quoted_text(found), std::string("give ") + what + " from " + std::to_string(least) +
                                   " to " + std::to_string(most));
    }
    return value;
  }

  /// Reads a count of lines that follow, each of `bytes` or more: it may be no larger than the rest
  /// of the file can hold.
  std::int64_t count(const char* what, std::int64_t least, std::size_t bytes) {
    return integer(what, least, std::max(least, static_cast<std::int64_t>(rest_.size() / bytes)));
  }

  Vector3 vector(const char* what) {
    const double x = number(what), y = number(what), z = number(what);
    return {x, y, z};
  }

  Pose pose() {
    Pose X;
    for (int row = 0; row < 3; ++row) X.rotation.row(row) = vector("the rotation, row by row");
    X.translation = vector("the translation");
    return X;
  }

  /// The rest of the line after one space, unchanged.
  std::string name() {
    if (!line_.empty()) line_.remove_prefix(1);
    return std::string(std::exchange(line_, {}));
  }

  std::string_view whole_line() { return std::exchange(line_, {}); }

  void end_line() {
    skip_spaces();
    if (!line_.empty()) fail(quoted_text(line_), "the line should end here");
  }

  [[noreturn]] void fail(const std::string& value, const std::string& remedy) const {
    throw InvalidInput("scene file, line " + std::to_string(number_), value, remedy);
  }

 private:
  void skip_spaces() {
    line_.remove_prefix(std::min(line_.find_first_not_of(" \t"), line_.size()));
  }

  std::string_view rest_, line_;
  std::int64_t number_ = 0;
};

Convex read_convex(Reader& in, double margin) {
  const std::int64_t num_vertices = in.count("the number of vertices", 1, 6),
                     num_faces = in.count("the number of faces", 0, 6);
  in.end_line();
  Points vertices(3, num_vertices);
  for (std::int64_t i = 0; i < num_vertices; ++i) {
    in.need_line("a vertex");
    vertices.col(i) = in.vector("the coordinates of a vertex");
    in.end_line();
  }
  Triangles faces(3, num_faces);
  for (std::int64_t i = 0; i < num_faces; ++i) {
    in.need_line("a face");
    for (int k = 0; k < 3; ++k)
      faces(k, i) = static_cast<std::int32_t>(in.integer("a vertex index", 0, num_vertices - 1));
    if (i + 1 < num_faces) in.end_line();
  }
  return num_faces > 0 ? Convex::from_mesh(vertices, faces, margin)
                       : Convex::from_points(vertices, margin);
}

Stp read_stp(Reader& in, double margin) {
  const double small_radius = in.number("the small radius"),
               big_radius = in.number("the big radius");
  Points points(3, in.count("the number of points", 1, 6));
  for (auto point : points.colwise()) {
    in.end_line();
    in.need_line("a point");
    point = in.vector("the coordinates of a point");
  }
  return Stp::from_points(
      points, {.small_radius = small_radius, .big_radius = big_radius, .margin = margin});
}

Shape read_shape(Reader& in) {
  const std::string_view kind = in.word("the kind of the shape");
  const double margin = in.number("the margin");
  if (kind == "Sphere") return Sphere{.radius = in.number("the radius"), .margin = margin};
  if (kind == "Ellipsoid")
    return Ellipsoid{.semi_axes = in.vector("the semi axes"), .margin = margin};
  if (kind == "Box") return Box{.half_extents = in.vector("the half extents"), .margin = margin};
  if (kind == "Convex") return read_convex(in, margin);
  if (kind == "Stp") return read_stp(in, margin);
  if (kind == "HalfSpace") {
    const Vector3 normal = in.vector("the normal");
    return HalfSpace{.normal = normal, .offset = in.number("the offset"), .margin = margin};
  }
  const double radius = in.number("the radius"), half_length = in.number("the half length");
  if (kind == "Capsule")
    return Capsule{.radius = radius, .half_length = half_length, .margin = margin};
  if (kind == "Cylinder")
    return Cylinder{.radius = radius, .half_length = half_length, .margin = margin};
  if (kind == "Cone") return Cone{.radius = radius, .half_length = half_length, .margin = margin};
  in.fail(quoted_text(kind),
          "give Sphere, Ellipsoid, Box, Capsule, Cylinder, Cone, HalfSpace, Convex or Stp");
}

Compound read_compound(Reader& in, const std::vector<Geometry>& geometries) {
  const auto num_parts = static_cast<std::size_t>(in.count("the number of parts", 1, 26));
  std::vector<CompoundPart> parts;
  for (std::size_t i = 0; i < num_parts; ++i) {
    in.end_line();
    in.need_line("a part");
    const auto number = static_cast<std::size_t>(
        in.integer("the number of a shape", 0, static_cast<std::int64_t>(geometries.size()) - 1));
    if (geometries[number].shape() == nullptr)
      in.fail(std::to_string(number), "give the number of a convex shape");
    parts.push_back({*geometries[number].shape(), in.pose()});
  }
  return Compound(std::move(parts));
}

HeightField read_height_field(Reader& in) {
  const std::int64_t num_rows = in.count("the number of lines of heights", 2, 4);
  const std::int64_t num_columns = in.count("the number of heights in a line", 2,
                                            2 * static_cast<std::size_t>(num_rows));
  const double dx = in.number("the spacing along x"), dy = in.number("the spacing along y"),
               base = in.number("the height of the base");
  Eigen::MatrixXd heights(num_rows, num_columns);
  for (auto row : heights.rowwise()) {
    in.end_line();
    in.need_line("a line of heights");
    for (double& height : row) height = in.number("a height");
  }
  return {std::move(heights), {dx, dy}, base};
}

Mesh read_referred_mesh(Reader& in, const MeshFinder& meshes) {
  MeshReference reference;
  reference.hash = in.word("the hash of a mesh");
  const auto is_digit = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  if (reference.hash.size() != 16 || !std::ranges::all_of(reference.hash, is_digit))
    in.fail(quoted_text(reference.hash), "give a hash of 16 digits 0 to 9 and a to f");
  const std::string_view kind = in.word("'solid' or 'surface'");
  if (kind != "solid" && kind != "surface") in.fail(quoted_text(kind), "give solid or surface");
  reference.solid = kind == "solid";
  reference.scale = in.number("the scale");
  reference.path = in.name();
  return meshes.find(reference);
}

/// The objects of a file, with ascending ids.
class ObjectList {
 public:
  void read_object(Reader& in, const std::vector<Geometry>& geometries) {
    const auto id = static_cast<SceneId>(in.integer("the id", next_id_, ObjectIds::kMost));
    const auto last = static_cast<std::int64_t>(geometries.size()) - 1;
    const Geometry& geometry =
        geometries[static_cast<std::size_t>(in.integer("the number of a geometry", 0, last))];
    constexpr std::int64_t kBits = 0xFFFFFFFF;
    const auto group = static_cast<std::uint32_t>(in.integer("the group", 0, kBits));
    const auto mask = static_cast<std::uint32_t>(in.integer("the mask", 0, kBits));
    SceneObject object{
        .geometry = geometry, .X = in.pose(), .group = group, .mask = mask, .name = in.name()};
    check_object(object);
    objects.emplace_back(id, std::move(object));
    next_id_ = std::int64_t{id} + 1;
  }

  /// Reads a line that says more about objects above it; false when the word begins no such line.
  bool read_more(std::string_view what, Reader& in) {
    if (what == "static") {
      named(in).second.is_static = true;
    } else if (what == "margin") {
      SceneObject& object = named(in).second;
      object.margin = in.number("the margin");
      check_object(object);
    } else if (what == "material") {
      SceneObject& object = named(in).second;
      object.material.friction = in.number("the friction");
      object.material.restitution = in.number("the restitution");
      object.material.compliance = in.number("the compliance");
      check_object(object);
    } else if (what == "closed") {
      closed.push_back(named(in).first);
    } else if (what == "allow" || what == "forbid") {
      const SceneId a = named(in).first, b = named(in).first;
      if (a == b) in.fail(std::to_string(b) + " twice", "give two different objects");
      rules.push_back({a, b, what == "allow" ? PairRule::meet : PairRule::avoid});
    } else {
      return false;
    }
    return true;
  }

  std::vector<std::pair<SceneId, SceneObject>> objects;
  std::vector<SceneId> closed;
  std::vector<PairFilter::Rule> rules;  ///< by id

 private:
  /// The object above that the next word names.
  std::pair<SceneId, SceneObject>& named(Reader& in) {
    const std::int64_t id = in.integer("the id of an object", 0, ObjectIds::kMost);
    const auto at = std::ranges::lower_bound(objects, id, {},
                                             [](const auto& o) { return o.first; });
    if (at == objects.end() || at->first != id)
      in.fail(std::to_string(id), "give the id of an object above this line");
    return *at;
  }

  std::int64_t next_id_ = 0;
};

/// Writes what the line of an object does not say.
void write_more(Writer& writer, SceneId id, const SceneObject& object) {
  const auto& [friction, restitution, compliance] = object.material;
  if (object.is_static) writer.line("static", {id});
  if (object.margin != 0.0) writer.line("margin", {id}, {object.margin});
  if (object.material != Material{})
    writer.line("material", {id}, {friction, restitution, compliance});
}

}  // namespace

std::string Scene::to_text() const {
  Writer writer;
  GeometryList geometries(writer);
  std::vector<std::size_t> numbers;
  for (const SceneId id : ids()) numbers.push_back(geometries.number_of(object(id).geometry));
  for (std::size_t i = 0; const SceneId id : ids()) {
    const SceneObject& object = this->object(id);
    writer.word("object");
    writer.word(std::to_string(id));
    writer.word(std::to_string(numbers[i++]));
    writer.word(std::to_string(object.group));
    writer.word(std::to_string(object.mask));
    writer.pose(object.X);
    if (!object.name.empty()) writer.word(object.name);
    writer.end_line();
    write_more(writer, id, object);
  }
  for (const SceneId id : ids()) {
    if (state_->filter.is_closed(state_->ids.slot(id))) writer.line("closed", {id});
  }
  for (const SceneId id : ids()) {
    for (const auto& [slot, rule] : state_->filter.partners(state_->ids.slot(id))) {
      const SceneId other = state_->ids.id(slot);
      if (id < other) writer.line(rule == PairRule::meet ? "allow" : "forbid", {id, other});
    }
  }
  writer.word("end");
  writer.end_line();
  return std::move(writer.text);
}

Scene Scene::from_text(std::string_view text, const SceneFileOptions& options) {
  Reader in(text);
  in.need_line("the name and version of the format");
  const std::string_view first_line = in.whole_line();
  if (first_line != kFirstLine) {
    in.fail(quoted_text(first_line),
            "a scene file of this version begins with '" + std::string(kFirstLine) + "'");
  }
  const MeshFinder meshes(options);
  std::vector<Geometry> geometries;
  ObjectList objects;
  while (true) {
    in.need_line("a shape, a compound, heights, a mesh, an object or 'end'");
    const std::string_view what = in.word(
        "a shape, a compound, heights, a mesh, an object or 'end'");
    if (what == "end") break;
    try {
      if (what == "shape") {
        geometries.emplace_back(read_shape(in));
      } else if (what == "compound") {
        geometries.emplace_back(read_compound(in, geometries));
      } else if (what == "heightfield") {
        geometries.emplace_back(read_height_field(in));
      } else if (what == "mesh") {
        geometries.emplace_back(read_referred_mesh(in, meshes));
      } else if (what == "object") {
        objects.read_object(in, geometries);
      } else if (!objects.read_more(what, in)) {
        in.fail(
            quoted_text(what),
            "give shape, compound, heightfield, mesh, object, static, margin, material, closed, "
            "allow, forbid or end");
      }
    } catch (const InvalidInput& error) {
      if (error.field().starts_with("scene file")) throw;
      in.fail(error.field() + " = " + error.value(), error.remedy());
    }
    in.end_line();
  }
  in.end_line();
  if (in.next_line()) in.fail("a line after the end", "delete it");
  Scene scene;
  State& state = *scene.state_;
  state.fill(std::move(objects.objects));
  for (const SceneId id : objects.closed) state.filter.close(state.ids.slot(id));
  for (PairFilter::Rule& rule : objects.rules) {
    rule.a = state.ids.slot(rule.a);
    rule.b = state.ids.slot(rule.b);
  }
  state.filter.set(std::move(objects.rules));
  return scene;
}

std::vector<Mesh> Scene::meshes() const {
  std::vector<Mesh> found;
  for (const SceneId id : ids()) {
    const Mesh* const mesh = object(id).geometry.mesh();
    if (mesh != nullptr && std::ranges::find(found, *mesh) == found.end()) found.push_back(*mesh);
  }
  return found;
}

void Scene::save(const std::string& path) const {
  for (const Mesh& mesh : meshes()) store_mesh(mesh, std::filesystem::path(path).parent_path());
  // the new file is written beside the old one, which stays until the new one is complete
  const std::string text = to_text(), beside = path + ".partial";
  std::ofstream file(beside, std::ios::binary);
  file.write(text.data(), static_cast<std::streamsize>(text.size()));
  file.close();
  std::error_code error;
  if (file) std::filesystem::rename(beside, path, error);
  if (!file || error) {
    std::filesystem::remove(beside, error);
    throw InvalidInput("path", path, "give a place that can be written to");
  }
}

Scene Scene::load(const std::string& path, SceneFileOptions options) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) throw InvalidInput("path", path, "give a file that can be read");
  const std::streamoff size = file.tellg();
  if (size < 0 || static_cast<std::size_t>(size) > kLargestFile) {
    throw InvalidInput("path", path, "give a plain file of at most 2 GiB");
  }
  std::string text(static_cast<std::size_t>(size), '\0');
  file.seekg(0);
  file.read(text.data(), size);
  if (file.gcount() != size)
    throw InvalidInput("path", path, "give a file that can be read to its end");
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  options.roots.push_back(folder.empty() ? "." : folder);
  return from_text(text, options);
}

}  // namespace tactum
