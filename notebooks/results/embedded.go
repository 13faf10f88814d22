//go:build !lite

package results

import "embed"

//go:embed *
var files embed.FS
