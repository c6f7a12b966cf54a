// SPDX-License-Identifier: BSD-2-Clause
// Collada: every geometry that the scene of a file shows, once for each place that shows it.
//
// Scene      nodes inside each other with their transforms, instances of geometries and of other
//            nodes. A file without a scene shows its first visual scene; one without any, all of
//            its geometries as they are. Mirrored instances are turned so that their outside stays.
// Bounded    XML by its reader; depth and number of nodes; what instances bring, relative to the
//            length of the file.
// Refused    references into other files, and skinned meshes, whose pose a file does not settle.
#include <Eigen/LU>
#include <algorithm>
#include <map>
#include <utility>

#include "core/quote_text.hpp"
#include "core/xml_element.hpp"
#include "mesh/file/dae_geometry.hpp"
#include "mesh/file/dae_transform.hpp"
#include "mesh/file/file_text.hpp"
#include "mesh/file/mesh_data.hpp"
#include "mesh/file/xml_list.hpp"
#include "tactum/interrupt.hpp"

namespace tactum {
namespace {

constexpr int kMostDepth = 256;
constexpr int kMostNodes = 100'000;
constexpr std::size_t kMostItems = 100'000'000;

class DaeReader {
 public:
  DaeReader(const XmlElement& root, std::size_t bytes)
      : most_items_(std::min<std::size_t>(kMostItems, 100'000 + 32 * bytes)) {
    index(root);
  }

  PolygonSoup read(const XmlElement& root, const AffineMap& X) {
    const XmlElement* const scene = root.child("scene");
    const XmlElement* const shown = scene == nullptr ? nullptr
                                                     : scene->child("instance_visual_scene");
    const XmlElement* const library = root.child("library_visual_scenes");
    if (shown != nullptr) {
      add_children(referred("visual_scene", *shown), X, 0);
    } else if (library != nullptr && library->child("visual_scene") != nullptr) {
      add_children(*library->child("visual_scene"), X, 0);
    } else {
      for (const XmlElement* const geometry : all_geometries_)
        add_geometry(*geometry, *geometry, X);
    }
    return std::move(soup_);
  }

 private:
  /// Remembers what can be referred to, by kind and identifier; the first of equal ones.
  void index(const XmlElement& element) {
    const std::string* const id = element.find("id");
    if (element.name == "geometry") all_geometries_.push_back(&element);
    if (id != nullptr &&
        (element.name == "geometry" || element.name == "node" || element.name == "visual_scene"))
      elements_.emplace(std::pair(element.name, *id), &element);
    for (const XmlElement& child : element.children) index(child);
  }

  const XmlElement& referred(const char* kind, const XmlElement& referring) const {
    const std::string& url = required_attribute(referring, "url");
    const auto found = url.starts_with('#') ? elements_.find({kind, url.substr(1)})
                                            : elements_.end();
    if (found == elements_.end())
      referring.refuse("url " + quoted_text(url),
                       std::string("name a <") + kind + "> of the same file as #id");
    return *found->second;
  }

  /// X is the map of the parent, from its coordinates to those of the mesh.
  void add_node(const XmlElement& node, const AffineMap& X, int depth) {
    if (depth > kMostDepth)
      node.refuse("nodes inside each other",
                  "nest at most " + std::to_string(kMostDepth) + ", instances included");
    if (++num_nodes_ > kMostNodes)
      node.refuse("too many nodes", "show at most " + std::to_string(kMostNodes));
    add_children(node, X * node_transform(node), depth);
  }

  void add_children(const XmlElement& parent, const AffineMap& X, int depth) {
    check_interrupt();
    for (const XmlElement& child : parent.children) {
      if (child.name == "node") {
        add_node(child, X, depth + 1);
      } else if (child.name == "instance_node") {
        add_node(referred("node", child), X, depth + 1);
      } else if (child.name == "instance_geometry") {
        add_geometry(referred("geometry", child), child, X);
      } else if (child.name == "instance_controller") {
        child.refuse("a skinned mesh", "export the surface without its skeleton");
      }
    }
  }

  void add_geometry(const XmlElement& element, const XmlElement& place, const AffineMap& X) {
    const auto known = geometries_.find(&element);
    const DaeGeometry& geometry =
        known != geometries_.end()
            ? known->second
            : geometries_.emplace(&element, read_dae_geometry(element)).first->second;
    num_items_ += geometry.vertices.size() + geometry.corners.size();
    if (num_items_ > most_items_)
      place.refuse("instances with " + std::to_string(num_items_) + " vertices and corners",
                   "show a geometry fewer times");
    const auto first = static_cast<std::int32_t>(soup_.vertices.size());
    for (const Vector3& vertex : geometry.vertices) {
      soup_.vertices.push_back(X * vertex);
      for (const double coordinate : soup_.vertices.back())
        if (!is_in_range(coordinate))
          place.refuse("a coordinate beyond 1e30", "give smaller numbers");
    }
    const bool is_mirrored = X.linear.determinant() < 0.0;
    for (std::size_t p = 0, begin = 0; p < geometry.ends.size(); begin = geometry.ends[p++]) {
      const std::size_t end = geometry.ends[p];
      for (std::size_t i = begin; i < end; ++i)
        soup_.add_corner(first + geometry.corners[is_mirrored ? begin + end - 1 - i : i]);
      soup_.end_polygon(geometry.lines[p]);
    }
  }

  std::map<std::pair<std::string, std::string>, const XmlElement*> elements_;
  std::map<const XmlElement*, DaeGeometry> geometries_;
  std::vector<const XmlElement*> all_geometries_;
  std::size_t num_items_ = 0, most_items_;
  int num_nodes_ = 0;
  PolygonSoup soup_;
};

}  // namespace

Mesh read_dae(std::string_view text, const std::string& name, const MeshFileOptions& options) {
  const XmlElement root = parse_xml(text, name, {.max_bytes = options.max_bytes});
  if (root.name != "COLLADA")
    root.refuse("root element " + quoted_text(root.name), "give a file of COLLADA");
  const AffineMap X = document_transform(root, options.apply_up_axis);
  return DaeReader(root, text.size())
      .read(root, X)
      .to_mesh(name, PolygonSoup::Place::line, options);
}

}  // namespace tactum
