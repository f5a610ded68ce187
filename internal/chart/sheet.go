package chart

// Sheet draws several charts as one picture, in rows of that many columns. The
// title stands above them. Charts keep their sizes; a column is as wide as its
// widest chart, a row as high as its highest.
func Sheet(title string, columns int, charts ...*Chart) []byte {
	columns = max(1, min(columns, len(charts)))
	layouts := make([]*layout, len(charts))
	widths, heights := make([]float64, columns), make([]float64, (len(charts)+columns-1)/columns)
	description, series := "", 0
	for i, c := range charts {
		layouts[i] = c.layout()
		widths[i%columns] = max(widths[i%columns], layouts[i].width)
		heights[i/columns] = max(heights[i/columns], layouts[i].height)
		description += c.Title + ": " + c.describe(layouts[i]) + " "
		series = max(series, len(c.Series))
	}
	head := 0.0
	if title != "" {
		head = edge + lineSpace + 6
	}
	var out canvas
	out.open(max(sum(widths), leastWidth), sum(heights)+head, title, description, series)
	if title != "" {
		out.write(edge, edge+lineSpace, "", ink.attributes()+` font-size="17" font-weight="600"`, fitting(title, sum(widths)*fontSize/17-2*edge))
	}
	for i, c := range charts {
		out.text(`<g transform="translate(`, number(sum(widths[:i%columns])), ` `, number(head+sum(heights[:i/columns])), `)">`, "\n")
		out.chart(c, layouts[i])
		out.text("</g>\n")
	}
	out.text("</svg>\n")
	return out.Bytes()
}

func sum(values []float64) float64 {
	total := 0.0
	for _, v := range values {
		total += v
	}
	return total
}
