package charts

import "math"

// Point3 is a point (x, y, z).
type Point3 [3]float64

// Projected is a point as the viewer sees it: X to the right, Y upwards, Depth towards the viewer.
// A point with positive Depth lies in front of the origin.
type Projected struct{ X, Y, Depth float64 }

// Project3D projects points in parallel onto the viewer's plane, so parallel lengths keep their
// ratios. The viewer stands at the azimuth, in degrees from the x axis towards the y axis, and at
// the elevation above the x-y plane, in degrees.
func Project3D(points []Point3, azimuth, elevation float64) []Projected {
	sa, ca := math.Sincos(azimuth * math.Pi / 180)
	se, ce := math.Sincos(elevation * math.Pi / 180)
	out := make([]Projected, len(points))
	for i, p := range points {
		out[i] = Projected{
			X:     -sa*p[0] + ca*p[1],
			Y:     -se*ca*p[0] - se*sa*p[1] + ce*p[2],
			Depth: ce*ca*p[0] + ce*sa*p[1] + se*p[2],
		}
	}
	return out
}

// Cloud returns a scatter of points in space, as [Project3D] shows them. Points behind the origin
// are pale.
func Cloud(name string, points []Point3, azimuth, elevation float64) []Series {
	front, back := Series{Name: name, Kind: Scatter}, Series{Name: name, Kind: Scatter, Faint: true}
	for _, p := range Project3D(points, azimuth, elevation) {
		s := &front
		if p.Depth < 0 {
			s = &back
		}
		s.X, s.Y = append(s.X, p.X), append(s.Y, p.Y)
	}
	var out []Series
	for _, s := range []Series{front, back} {
		if len(s.X) > 0 {
			out = append(out, s)
		}
	}
	return out
}

// Sphere returns the outline of a sphere around the origin, and the visible part of its meridians
// and parallels, 30 degrees apart.
func Sphere(radius, azimuth, elevation float64) []Series {
	var out []Series
	curve := func(at func(degrees float64) Point3) {
		var ring []Point3
		for a := 0.0; a <= 360; a += 6 {
			ring = append(ring, at(a))
		}
		run := Series{Faint: true}
		flush := func() {
			if len(run.X) > 1 {
				out = append(out, run)
			}
			run = Series{Faint: true}
		}
		for _, p := range Project3D(ring, azimuth, elevation) {
			if p.Depth < 0 {
				flush()
				continue
			}
			run.X, run.Y = append(run.X, p.X), append(run.Y, p.Y)
		}
		flush()
	}
	on := func(lon, lat float64) Point3 {
		so, co := math.Sincos(lon * math.Pi / 180)
		sl, cl := math.Sincos(lat * math.Pi / 180)
		return Point3{radius * cl * co, radius * cl * so, radius * sl}
	}
	for lon := 0.0; lon < 180; lon += 30 {
		curve(func(a float64) Point3 { return on(lon, a) })
	}
	for lat := -60.0; lat <= 60; lat += 30 {
		curve(func(a float64) Point3 { return on(a, lat) })
	}
	edge := Series{Faint: true}
	for a := 0.0; a <= 360; a += 4 {
		s, c := math.Sincos(a * math.Pi / 180)
		edge.X, edge.Y = append(edge.X, radius*c), append(edge.Y, radius*s)
	}
	return append(out, edge)
}
