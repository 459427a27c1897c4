"""Earlier names of the pictures' kit, which `ir_trunc.meta` still uses; to be removed."""

from ir_trunc.plots import _kit

axes = _kit.ready_axes
shaded = _kit.shaded_table
lines = _kit.draw_lines
unnamed_lines = _kit.draw_unnamed_lines
legend_above = _kit.legend_above
name_lines = _kit.name_lines
panels = _kit.panels
level = _kit.reference_line
