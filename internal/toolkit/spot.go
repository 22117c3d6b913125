package toolkit

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"loci/internal/lang"
	"loci/internal/sandbox"
	"loci/internal/text"
	"loci/internal/tool"
)

// atSpot opens the place that a path names while use is under way.
func atSpot[R any](ctx context.Context, env tool.Env, path string, links sandbox.Links, use func(*sandbox.Spot) (R, error)) (r R, err error) {
	spot, err := env.Files.Spot(ctx, path, links)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, spot.Close()) }()
	if env.Asking || env.Basis != "" { // the person is told of it, or was and agreed
		spot.AllowNames()
	}
	return use(spot)
}

// by says on whose behalf a tool changes something.
func by(env tool.Env, name string) sandbox.By {
	return sandbox.By{Principal: env.Scope.Principal.ID, Session: env.Scope.Session, Turn: env.Scope.Turn, Call: env.Call, Tool: name, Time: env.Now}
}

// made is the part of a result that tells which change can be taken back.
type made struct{ id string }

// Change is the id of the change in the journal; empty: it is in none.
func (m made) Change() string { return m.id }

// namesOf is what belongs into a basis of a file with several names (hard links): a
// yes is for as many as were shown.
func namesOf(s *sandbox.Spot) string {
	if n := s.Names(); n > 1 {
		return fmt.Sprintf("\n%d names", n)
	}
	return ""
}

// What becomes of the other names of a file.
var (
	othersOld = lang.Words{
		EN: "Only this name gets the new content; the others keep the old one.", ZH: "只有这个名称得到新内容，其他名称保留旧内容。",
		CS: "Nový obsah dostane jen toto jméno, ostatním zůstane starý.",
	}
	othersStay = lang.Words{EN: "The others stay as they are.", ZH: "其他名称保持不变。", CS: "Ostatní zůstanou, jak jsou."}
)

// warnNames warns of a file with several names; empty if it has one. others says
// what becomes of the others.
func warnNames(language, path string, n uint64, others lang.Words) string {
	if n <= 1 {
		return ""
	}
	names := lang.Counted{One: "name", Many: "names", ZH: "个名称", CSOne: "jméno", CSFew: "jména", CSAll: "jmen"}.In(language, int(n))
	form := lang.Words{
		EN: "%s has %s (hard links); the others may lie outside the allowed folders. %s", ZH: "%s 有%s（硬链接），其他名称可能在允许的文件夹之外。%s",
		CS: "%s má %s (pevné odkazy); ostatní mohou být mimo povolené složky. %s",
	}
	return strings.TrimSpace(form.In(language, oneLine(text.Clip(path, 200)), names, others.In(language)))
}

// alone keeps others from changing what the spots name while use is under way.
func alone[R any](ctx context.Context, use func() (R, error), spots ...*sandbox.Spot) (r R, err error) {
	release, err := sandbox.Lock(ctx, spots...)
	if err != nil {
		return r, err
	}
	defer release()
	return use()
}
