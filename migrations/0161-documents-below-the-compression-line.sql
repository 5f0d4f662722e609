-- Compressing an order's document costs more than all else of writing it. Up to half a page it lies in its row as it is; an order that is
-- done with, whose document is larger, is compressed as before.
ALTER TABLE orders SET (toast_tuple_target = 4080);
